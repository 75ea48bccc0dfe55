"""Reports: what a campaign found and covered, as data, as text, as JSON and as a page; one file a format."""
