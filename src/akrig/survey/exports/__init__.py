"""What a survey leaves behind for other programs: GeoTIFF, GeoJSON and CSV."""
