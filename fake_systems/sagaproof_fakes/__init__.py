"""Stateful fakes of outside services."""
