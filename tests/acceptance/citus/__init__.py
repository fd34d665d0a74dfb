"""The whole service on a Citus cluster, which a setting names."""
