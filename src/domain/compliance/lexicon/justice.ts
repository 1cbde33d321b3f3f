/** Annex III, point 8: the administration of justice, and elections. */
import { annex3, words } from "./phrases.ts";

export const justiceConcepts = {
  court:
    words(`judge's, a judge, the judge, trial judge*, judges in, judges of, judges on, judges with, judges are, judges who, judges receive, judges get, judges use, for judges, to judges, helps judges, help judges, assists judges, assist judges, judges a, advises judges, magistrate*, court, courts, courtroom*, courthouse*, the bench, judicial*, judiciary, arbitrat*, arbiter*, tribunal, tribunals, sentencing, sentence length*, length of .. sentence, sentences to the, judgment, judgments, judgement, judgements, mediator*, mediation*, statutes, adjudicat*, alternative dispute*, dispute resolution, dispute settlement*, settlement of dispute*, settles disputes, resolves disputes, ombuds*, verdict*, ruling*, justice ministry, justice system, litigat*, lawsuit*, plaintiff*, defendant*, custody law, clerk* .. judge*, court clerk*, referee in dispute*, parties' evidence, facts and law, facts and the law, legal dispute*`),
  rule: words(
    `suggest*, propos*, decid*, decides, determin*, draft*, research*, interpret*, apply*, applies, applied, application of the law, recommend*, weigh*, outcome*, award*, settle*, settling, find the law, relevant case law, case law, precedent*, how the dispute, who is right, who .. right, which side, wins, guilty, guilt, likelihood of success, chance* of success, damages, amount of, sentence*, sentences, ruling*, judgement, predict*, assess*, evaluat*, rank*, resolv*, binding, legal basis, legal analysis, analys*, analyz*, advis*, prepares decisions, bail, release, rule on, rules on, calculat*, establish*`,
  ),
  /** What is done in courts and law firms that decides nothing. */
  clerical: words(
    `tennis court*, basketball court*, court shoes, food court*, squash court*, courtyard*, anonymis*, anonymiz*, pseudonymis*, redact*, transcri*, room booking*, hearing dates, lift, lifts, cleaning, translates judgments, scans old`,
  ),
  vote: words(
    `voter*, vote, votes, voting, voted, election, elections, electoral, election day, referendum*, plebiscite*, political campaign*, election campaign*, party's campaign, campaign manager*, campaign team*, campaign of a party, campaign software, canvass*, political content, political message*, political ad, political ads, political advert*, political part*, political preference*, political persuasion, electorate, ballot*, constituent*, constituenc*, poll, polls, polling day, polling station*, undecided people, swing state*, swing voter*, candidate for mayor, candidate for parliament, parliamentary candidate*, presidential candidate*, to the candidate, turnout, get out the vote, elected`,
  ),
  sway: words(
    `influenc*, target*, micro-target*, microtarget*, persuad*, persuas*, sway*, change, changes, changing, shows, nudg*, convinc*, mobilis*, mobiliz*, discourag*, encourag*, tailor*, personalis*, personaliz*, talked out, talk out of, talk* .. out of, bring them over, bring .. over, win over, wins over, won over, argue*, argues with, adapt*, message most, message that, messages that, most likely to, effect on, optimised for, optimized for, serve*, suppress*, keep .. from voting, stay at home, stay home, picks for each, profile*, psychograph*, segment*, demotivat*, move voters, shift opinion*, opinion of, steer*, manipulat*, receptive, susceptible, bots`,
  ),
  /** What serves a campaign's own work, or counts votes, and meets no voter. */
  campaign_office: words(
    `election results, vote counting, counts votes, seats in parliament, leaflet routes, poster stock`,
  ),
};

const rule = annex3<keyof typeof justiceConcepts>;

export const justiceRules = [
  rule("8(a)", "administration of justice", ["court", "rule"], ["clerical"]),
  rule("8(b)", "elections", ["vote", "sway"], ["campaign_office"]),
];
