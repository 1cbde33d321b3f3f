#!/bin/bash
# Makes the role the service runs as, when the database is made. The owner's migrations grant it what it may do.
set -euo pipefail
psql --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" \
  --set ON_ERROR_STOP=1 --set password="$POSTGRES_APP_PASSWORD" <<'SQL'
create role tallystick_app login password :'password';
SQL
