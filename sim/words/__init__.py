"""Words of users as texts: quoted in messages, shown in pictures, as names of files. No numbers, no scene."""
