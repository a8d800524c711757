"""What ./dev does: set-up of the development environment and the checks, standard library only."""
