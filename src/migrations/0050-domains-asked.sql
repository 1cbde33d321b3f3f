-- When the domains that agents are linked to were asked last, and since when one has told nothing: asking is no event, what follows from it is.
create table access.domains_asked (
  agent        text not null,
  domain       text not null,
  asked_at     timestamptz not null,
  silent_since timestamptz,
  primary key (agent, domain)
);
