/** Annex III, point 8: the administration of justice, and elections. */
import { annex3, DEEDS, IN_PLAIN_WORDS, words } from "./phrases.ts";

export const justiceConcepts = {
  voter: words(`voter, voters, voter's, voters', electorate, undecided voter*, swing voter*, constituents`),
  deal_with: [...DEEDS, ...IN_PLAIN_WORDS],
  court:
    words(`judge's, a judge, the judge, for judges, to judges, helps judges, help judges, assists judges, assist judges, advises judges, magistrate*, court,
    courts, courtroom*, courthouse*, the bench, judicial*, judiciary, arbitrat*, arbiter*, tribunal, tribunals, sentencing, sentence length*, length
    of .. sentence, sentences to the, judgment, judgments, judgement, judgements, mediator*, mediation*, statutes, adjudicat*, alternative dispute*,
    settlement of dispute*, settles disputes, resolves disputes, ombuds*, verdict*, ruling*, justice ministry, justice system, litigat*, lawsuit*,
    plaintiff*, defendant*, custody law, clerk* .. judge*, referee in dispute*, parties' evidence, facts and law, facts and the law, legal dispute*,
    judges in, judges of, judges on, judges are, judges who, judges receive, judges get, judges use, judges to, judges decide, criminal judges,
    judges', family court*, labour court*, labor court*, criminal court*, civil court*, administrative court*, supreme court*, constitutional court*,
    small claims, bench of, justice of the peace, justices, jury, jurors, juries, lay judge*, legal proceeding*, civil proceeding*, civil dispute*,
    consumer dispute*, tenancy dispute*, neighbour dispute*, e-commerce dispute*, conciliat*, out-of-court, out of court, extrajudicial, disputing
    parties, parties to the dispute, parties to a dispute, both parties, each party's, both sides, claimant and, operative part, legal reasoning of,
    ministry of justice, courts' workload, child maintenance, custody arrangement*, custody dispute*, custody battle*, divorce case*, alimony,
    probate, insolvency court, appellate, appeal*, the accused, accused person*, appear at trial, pre-trial, pretrial, bail hearing*, trial*, sentence
    recommendation*, sentence proposal*, penal judgment*, legal question* .. judge, jurisprudence, young judge, seasoned judge, machine umpire, umpire
    for, landlords and tenants, conflicts, disagreements, settles conflicts, e-commerce conflicts, registrar, costs are to be split, criminal bench*,
    quarrel, quarrels, settles quarrels, both sides are bound, dispute, disputes, notary, bailiff, legal costs order, bankruptcy judge, insolvency
    judge, examining magistrate, investigating judge, juvenile judge, juvenile court, youth court, traffic court, immigration judge, asylum judge,
    review board, disciplinary tribunal, employment tribunal, rent tribunal, patent court, tax court, social court, finance court, military court,
    sharia court, sports tribunal, sports court, arbitral, awards in arbitration, claims court, acquit*, convict or, statement of claim, statements of
    claim, legal reasoner, applicable norms, single judge, decision proposal, claim and defence, pleading*, parties enter, the parties`),
  rule: IN_PLAIN_WORDS.concat(
    words(`suggest*, propos*, decid*, determin*, draft*, research*, interpret*, apply*, applies, applied, application of the law, recommend*, weigh*,
    outcome*, award*, settle*, settling, find the law, relevant case law, case law, precedent*, how the dispute, who is right, who .. right, which
    side, wins, guilty, guilt, chance* of success, damages, sentence*, ruling*, judgement, predict*, assess*, evaluat*, rank*, resolv*, binding, legal
    basis, legal analysis, analys*, analyz*, advis*, prepares decisions, bail, release, rule on, rules on, calculat*, establish*, which party,
    prevail*, applicable provision*, legal provision*, applicable law, decision on, decision proposal*, decision support, reasoning, findings of fact,
    facts of, evidence, merits, liabilit*, liable, compensation, maintenance, amount, custody, likel*, how likely, success, fair settlement, law
    applied, in the light of, comparable cases, similar cases, earlier cases, previous decisions, previous cases, admissib*, weak points, how strong,
    strength, number, score, prospects, tells, tell, indicat*, summaris* .. facts, compares, finds, hands down, grants, grant, refuses, orders, order,
    whether to, pass, word is final, is final, final say, final word, split, bound, bind, binds, how costs, costs are, fixes, apportion*, sets the
    amount, quantum, who pays, who wins, who loses, which claim, dismiss*, uphold*, rejects the claim, allow the claim, allows the claim, norms,
    decision proposal, produces a decision, result is computed, computed, legal consequence*, subsum*`),
  ),
  /** What is done in courts and law firms that decides nothing. */
  clerical:
    words(`law journal*, court journal*, law review*, legal journal*, page numbers, mentions of, that mention, that mentions, law library, law libraries, lists the paragraphs, finds the phrases, keyword finder*, ministry of justice intends, tennis court*, basketball court*, court shoes, food court*, squash court*, courtyard*, anonymis*, anonymiz*, pseudonymis*, redact*, transcri*,
    room booking*, hearing dates, lift, lifts, cleaning, scans old, website, journalists, leaflet*, translates, for lawyers, law firm, lawyers search,
    statistics, corridor lights, grammar of`),
  /** Uses by their names, which need no deed. */
  justice_use:
    words(`robot judge*, robo judge*, ai judge*, ai arbitrator*, robot arbitrator*, arbitration engine*, arbitration bot*, arbitration software, sentencing
    tool*, sentencing assistant*, sentencing recommendation*, judicial decision*, judicial assistant*, court decision support, draft judgment*,
    judgment drafting, automated mediation, automated arbitration, online arbitration, ai mediator*`),
  /** Uses by their names, which need no deed. */
  election_use:
    words(`voter targeting, voter microtargeting, voter persuasion, voter profiling, voter manipulation, voter suppression, political microtargeting,
    political micro-targeting, election influence, influencing elections, campaign targeting`),
  adjudges:
    words(`decid*, rules, rule on, awards, award, determin*, proposes, propose, drafts, suggests, recommend*, names the winner, weigh*, evaluates, assess*,
    predict*, settle*, resolve*, finds for, imposes, impose, calculates, interprets, applies`),
  /** Words of disputes. Two of them, and somebody who settles them, are about justice. */
  dispute_hint:
    words(`dispute*, parties, both sides, arguments, parking fines, legal effect, evidence, pleadings, claimant*, verdict*, justice, settlement*, damages,
    guilt*, sentence, sentences, court*, tribunal*, arbitrat*, mediat*, judgment*, lawsuit*, plaintiff*, defendant*, accused, custody, divorce,
    statute*, precedent*, case is, case file, injunction, bench, quarrel*, out of court, lawyer*, attorney*, litigation, contract dispute*, hearing,
    hearings, testimony, witness*, bail, prosecution, jury, magistrate*, ruling*, liability, ombudsman, offender*, punishment, prison, legal aid`),
  sways:
    words(`target*, micro-target*, persuad*, sway*, convinc*, change, changes, switch, fear, fears, message*, video, what to say, tailor*, personalis*,
    personaliz*, mobilis*, mobiliz*, nudg*, influenc*, address, chooses, decides which, calculat*, advert*, ads, leaflet*, letters to, argument*,
    compose*, win over, wins over, tips the scale*, tip the scales, sends, send, exposes, shift, shifts, discourag*, dissuad*, suppress*, bring over,
    appeals to, picks, selects, optimis*, optimiz*, shown, shows, serves, steer*, manipulat*`),
  /** Words of politics. Two of them, and somebody swayed, are about elections. */
  politics_hint:
    words(`vote*, party, parties, politic*, campaign*, election*, ballot*, referendum*, door by door, door-to-door, doorstep*, waver*, undecided, candidate*,
    mayor, parliament*, constituen*, poll, polls, democra*, turnout, strategist*, party's, voting, tip the scales, persuadable*, president*, senator*,
    council seat, lobby*, rally, rallies, canvass*, leaflet*, polling, electoral, propaganda, activists`),
  vote: words(`voter*, vote, votes, voting, voted, election, elections, electoral, referendum*, plebiscite*, political campaign*, party's campaign, campaign
    manager*, campaign team*, campaign of a party, campaign software, canvass*, political content, political message*, political ad, political ads,
    political advert*, political part*, political preference*, political persuasion, electorate, ballot*, constituent*, constituenc*, poll, polls,
    undecided people, swing state*, swing voter*, candidate for mayor, candidate for parliament, presidential candidate*, to the candidate, turnout,
    get out the vote, elected, rival party, party supporter*, supporters of a party, supporters of .. party, party's supporters, party members,
    opposing party, opposition party, opposition voters, turning out, undecideds, floating voter*, swing district*, campaigners, campaign staff,
    campaigning, electioneering, political party, political parties, political microtarget*, political micro-target*, political target*, political
    communication*, political messaging, political video*, political post*, politician's campaign, candidates' campaign*, mayoral, presidential
    campaign*, presidential race, parliamentary, general election, local election*, european election*, by-election*, primaries, primary election*,
    yes campaign, no campaign, yes vote*, no vote*, brexit, democratic process*, before polling, polling, last week before, can still be turned, on
    election, our candidate, our client's voters, win the election, win elections, winning elections, win votes, winning votes, cast their ballot,
    cast a vote, cast their vote, abstain, abstention, non-voters, nonvoters, first-time voters, electorate's, party base, party's base, door knock*,
    doorstep, political donor*, grassroots, activists of a party, political opponent*, opponent's supporters, smear campaign*, attack ad*, political
    bots, bot army, troll*, astroturf*, people whose vote, whose vote, can be swung, electors, made up his mind, made up her mind, made up their
    mind*, make up their mind*, his own feed`),
  sway: words(`influenc*, target*, micro-target*, microtarget*, persuad*, persuas*, sway*, change, changes, changing, shows, nudg*, convinc*, mobilis*, mobiliz*,
    discourag*, encourag*, tailor*, personalis*, personaliz*, talked out, talk out of, talk* .. out of, bring them over, bring .. over, win over, wins
    over, won over, argue*, adapt*, most likely to, effect on, optimised for, optimized for, serve*, suppress*, keep .. from voting, stay at home,
    stay home, profile*, psychograph*, segment*, demotivat*, move voters, shift opinion*, opinion of, steer*, manipulat*, receptive, bots, dissuad*,
    alter*, chooses the advert, chooses the ad, psychological trait*, emotional trigger*, apt to, susceptib*, likely to move, likely to be moved, most
    effective, resonat*, fear of, scare*, rally, rallies, donat*, customis*, customiz*, individual message*, individually, each recipient, each
    person, each household, each voter, one by one, fake news, disinformation, amplif*, sow*, boost*, undecided, lean towards, rings them, calls them,
    turned, can still be turned, make them vote, makes them vote, keep them home, stay away, stay away from, must hear, wants to hear, want to hear,
    what to say, how to speak to, storyline*, switch camp, switch sides, go to the polls, swung, swing, feed them, feeds them, fitting stories,
    fitting messages, right story, right message, matching messages, stories, what moves them, push their, pushes their, play on, plays on, knows,
    says it, own dialect, own feed, what do you say, made up his mind, made up her mind, advert, adverts, ad, ads, clip, clips, leaflet*, message*,
    move him, move her, move them, moves them, selects, select, picks, pick`),
  insurance_claims: words(`hail, insurance claim*, warranty, damage report*, product claim*`),
  /** What serves a campaign's own work, or counts votes, and meets no voter. */
  campaign_office: words(
    `election results, vote counting, counts votes, seats in parliament, leaflet routes, poster stock`,
  ),
};

const rule = annex3<keyof typeof justiceConcepts | "decided">;

export const justiceRules = [
  rule("8(a)", "administration of justice", ["court", "rule"], ["clerical"]),
  rule("8(a)", "administration of justice", ["adjudges"], ["clerical", "insurance_claims"], "dispute_hint"),
  rule("8(a)", "administration of justice", ["decided"], ["clerical"], "court"),
  rule("8(b)", "elections", ["sways"], ["campaign_office"], "politics_hint"),
  rule("8(b)", "elections", ["voter", "deal_with"], ["campaign_office"]),
  rule("8(b)", "elections", ["vote", "sway"], ["campaign_office"]),
  rule("8(a)", "administration of justice", ["justice_use"], ["clerical"]),
  rule("8(b)", "elections", ["election_use"], ["campaign_office"]),
];
