"""What `pipeline.link_entities` decides with: who bears a name, who is introduced, what is learned."""
