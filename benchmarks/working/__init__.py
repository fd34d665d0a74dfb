"""How long an access to working memory takes."""
