"""What `cambist doctor` looks at, one small function for each check; nothing is changed."""
