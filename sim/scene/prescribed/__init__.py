"""What a scene says of motions that are prescribed: of obstacles, of grippers, of the direction of gravity."""
