/** Annex III, point 6: risks, lies, evidence and profiles in the hands of law enforcement. */
import { annex3, DEEDS, IN_PLAIN_WORDS, words } from "./phrases.ts";

export const lawEnforcementConcepts = {
  police:
    words(`police*, policing, law enforcement, detective*, prosecut*, criminal, criminals, crime, crimes, offence*, offense*, offend*, reoffend*, re-offend*,
    reoffence*, recidiv*, interrogat*, suspect, suspects, suspected of, suspected offender*, smuggl*, gang, gangs, patrol officer*, parole*, on
    probation, bail, prison*, inmate*, detainee*, convict, convicts, convicted, conviction*, arrest*, custody, remand, jail*, penitentiar*,
    correctional, gendarm*, constab*, sheriff*, forensic*, homicide*, murder*, burglar*, robber*, rapist*, sex offend*, terroris*, extremis*,
    traffick*, money mule*, fraud squad*, cybercrime, intelligence unit*, intelligence officer*, investigating authorit*, investigator*, public
    security, domestic violence, domestic abuse, partner violence, stalker*, stalking, felon*, delinquen*, perpetrator*, eyewitness*, confession*,
    drug squad, vice squad, tip line*, hotline .. police, break the law, breaks the law, wiretap*, seized phone*, seized device*, seized chat*,
    officers, officer's assessment, organised crime, organized crime, homeland security, counter-terror*, counterterror*, shooting*, gun crime, knife
    crime, violent crime*, violence, warden*, correction* facilit*, correction* officer*, incarcerat*, radicalis*, radicaliz*, jihad*, fraud squad,
    serious fraud, economic crime, money laundering investigator*, financial intelligence unit*, tax crime, tax investigator*, customs investigator*,
    customs fraud unit, testimon*, drug trafficking, drug dealing, drug offence*, narcotics, human trafficking, cartel*, mafia, hit list, informant*,
    tip-off*, tip offs, investigative, investigations, investigation of, investigation team*, case agents, cold case*, missing persons unit, patrols,
    patrol car*, riot police, swat, hate crime*, arson*, assault*, rape, kidnap*, stolen goods, break-ins, theft ring*, shoplifting ring*, extort*,
    blackmail*, beat officers, bailiff*, early release, conditional release, relapse into crime, repeat offender*, first-time offender*, juvenile
    offender*, young offender*, juvenile delinquen*, ex-convict*, ex-offender*, electronic tag*, house arrest, restraining order*, search warrant*,
    dna profile*, dna trace*, ballistic*, fingerprint expert*, evidence in criminal, chain of custody, exhibits, lineup, line-up, intelligence
    service*, secret service, counter-intelligence, security service*, security agenc*, europol, interpol, exploited persons, runaway*, become
    victims, becoming victims, victims of, statements of witnesses, witnesses, witness, seized telephones, inspector pastes, pulls the strings, about
    to do it again, knife-crime, stabbed, stabbing, young men at risk, questioning of suspects, questioned by police, launderer*, laundering, drug
    money, bank transfers .. detectives, stand up in a trial, wanted persons, manhunt*, fugitives, escapees, probation, tagging of offenders, sex
    crimes, sexual assault*, abuse reports, child-abuse reports, child abuse investigation*, missing child*, honour killing*, femicide*, hooligan*,
    football violence, rioters, protest policing, stop and search, stop-and-search, traffic police, drunk driver*, hit and run, hotspot polic*,
    gunshot*, weapons offence*, tax fraud investigat*, customs police, customs officers, border police investigat*, deradicalis*, online hate, hate
    posts, threat letters, ransom*, hackers, darknet, dark web, sting, undercover, informers, informers' reports, whistleblower tips, denunciation*,
    seized computer*, seized data, seized hard disk*, data of seized, belong to the ring, ring of, drugs squad, beat his wife, beats his wife, beat
    her, past assaults, drug ring*, child-porn*, sex ring*, organised begging, fraud ring*, fraudsters .. police, terror cell*, terror suspects, clan
    crime, organised fraud, complainant*, accuser*, sexual assault, field officers, previous incidents, violent behaviour, victims' statement*,
    statement analysis, communications of suspects, incident records`),
  /** Offices and persons with whom only investigations are about. */
  inquest:
    words(`prosecutor*, public prosecutor*, prosecution service*, detective*, criminal police, criminal investigat*, criminal offence*, criminal offense*,
    criminal proceedings, suspects, a suspect, the suspect, suspect's, offender*, perpetrator*, parole*, probation officer*, inmate*, prisoner*,
    police officer*, policemen, policeman, police investigat*, the police, police patrol*, police unit*, police force*, squad, narcotics, homicide,
    forensic*, evidence, confession*, interrogat*, witness statement*, law enforcement`),
  /** Uses by their names, which need no deed. */
  police_use:
    words(`predictive policing, lie detector*, lie detection, polygraph*, deception detection, crime prediction, recidivism prediction, recidivism risk,
    reoffending risk, offender profiling, suspect profiling, criminal profiling, offender risk, evidence evaluation, evidence assessment, victim risk,
    victimisation risk, gang database`),
  /** What the police tells the public. */
  information:
    words(`chatbot*, opening hours, how to report, website, web site, translates, transcribes, novel*, game, games, book, books, traffic news, lost property,
    evidence-based, evidence based, scientific evidence`),
  /** The police as a house, not as a power. */
  premises:
    words(`museum*, copier*, toner, canteen*, coffee, police station needs, heating of, cleaning of, prison library, novel, novels, crime fiction, thriller*,
    television, tv, film, films, board game, video game*, computer game*, website, leaflets`),
  /** What is done in an investigation, in the words of any field. */
  inquire: DEEDS,
  suspect: IN_PLAIN_WORDS.concat(
    words(`risk*, at risk, likel*, probab*, chance*, predict*, forecast*, foresee*, profil*, picture of each, pictures of each, habits, reliab*, how much
    weight, weigh*, probative, polygraph*, lying, lies, lie, truth*, untrue, decept*, deceiv*, honest*, credib*, believab*, plausib*, victim*,
    estimat*, reoffend*, re-offend*, recidiv*, evaluat*, assess*, rank*, score*, scoring, dangerous*, danger, expect*, authentic*, tampered, genuine,
    calculat*, judge*, judging, judgment of, grades, matters most, key figure*, ringleader*, network analysis of suspects, who might, who may, who
    will, prime suspect*, most likely, classif*, categor*, prioriti*, flag*, infer*, deduc*, personality, psychological, attacked again, hit again,
    targeted again, harmed again, voice stress, vulnerab*, solvability, identifies suspects, identify suspects, find suspects, finds suspects, point
    to suspects, persons of interest, how dangerous, involved in, how probable, relapse, radicalis*, radicaliz*, compares testimonies, lack
    credibility, inconsistenc*, can be relied on, relied on, admissib*, builds a profile, dossier*, movement profile*, contact network*, who is who,
    who is behind, connected to, links, connections between, associates of, list of individuals, list of persons, list of people, heat list, watch
    list, watchlist, alias*, modus operandi, behaviour pattern*, behavior pattern*, behavioural pattern*, behavioral pattern*, traits, suspicion,
    threat, threatening, potential offender*, potential perpetrator*, potential victim*, at-risk individual*, needs protection, repeat victim*, fake,
    faked, manipulated, deepfake, provenance, integrity of, quality of evidence, strength of evidence, strength of, examiner*, corroborat*, alibi*,
    held against each other, how likely violence, violence from, at risk of, become victims, becomes a victim, pulls the strings, do it again, our
    police edition knows, at risk of being, being stabbed, draws a curve, good enough to stand, stand up in, behaves like, who in, who is, which of
    these, which of the, sincere, insincere, whether they lie, whether he lies, whether she lies, is lying, are lying, trust*, doubt*, suspicious*,
    deviat*, anomal*, resembles, pattern of, patterns of, predispos*, prone, propensity, violent, dangers to, next victim*, next target*, next
    offence*, next crime*, where and who, heat list*, strategic subject*, top ten persons, deceit, deceitful, signs of deceit, may belong, belongs to,
    builds profiles, beat .. again, again, attributed to, roles are, roles of, clustered, linguistic features`),
  ),
};

const rule = annex3<keyof typeof lawEnforcementConcepts | "decided">;

export const lawEnforcementRules = [
  rule("6", "law enforcement", ["police", "suspect"], ["premises"]),
  rule("6", "law enforcement", ["inquest", "inquire"], ["premises", "information"]),
  rule("6", "law enforcement", ["decided"], ["premises", "information"], "police"),
  rule("6", "law enforcement", ["police_use"], ["premises", "information"]),
];
