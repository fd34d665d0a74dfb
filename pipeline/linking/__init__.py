"""What `pipeline.linking.link` decides with: who bears a name, who is introduced, what is learned."""
