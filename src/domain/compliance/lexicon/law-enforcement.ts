/** Annex III, point 6: risks, lies, evidence and profiles in the hands of law enforcement. */
import { annex3, words } from "./phrases.ts";

export const lawEnforcementConcepts = {
  police: words(
    `police*, policing, law enforcement, detective*, prosecut*, criminal, criminals, criminal investigat*, criminal offence*, criminal offense*, criminal proceeding*, criminal justice, criminal record*, crime, crimes, crime scene*, offence*, offense*, offend*, reoffend*, re-offend*, reoffence*, recidiv*, interrogat*, suspect, suspects, suspected of, suspected offender*, smuggl*, gang, gangs, patrol officer*, parole*, probation service*, probation officer*, on probation, bail, prison*, inmate*, detainee*, convict, convicts, convicted, conviction*, arrest*, custody, remand, jail*, penitentiar*, correctional, gendarm*, constab*, sheriff*, forensic*, homicide*, murder*, burglar*, robber*, rapist*, sex offend*, terroris*, extremis*, traffick*, money mule*, fraud squad*, cybercrime, intelligence unit*, intelligence officer*, investigating authorit*, investigator*, public security, domestic violence, domestic abuse, partner violence, stalker*, stalking, felon*, felony, delinquen*, perpetrator*, crime victim*, witness statement*, witness testimon*, eyewitness*, confession*, drug squad, vice squad, tip line*, hotline .. police, break the law, breaks the law, wiretap*, seized phone*, seized device*, seized chat*, officers, officer's assessment, organised crime, organized crime, homeland security, counter-terror*, counterterror*`,
  ),
  suspect: words(
    `risk*, at risk, likel*, probab*, chance*, predict*, forecast*, foresee*, profil*, picture of each, pictures of each, habits, reliab*, weight of, how much weight, weight .. evidence, weigh*, probative, polygraph*, lie detect*, lying, lies, lie, truth*, untrue, decept*, deceiv*, deception, honest*, credib*, believab*, plausib*, trustworth*, victim*, estimat*, reoffend*, re-offend*, recidiv*, evaluat*, assess*, rank*, score*, scoring, dangerous*, danger, threat level*, threat assessment*, expect*, authentic*, tampered, genuine, calculat*, judge*, judging, judgment of, grades, matters most, key figure*, ringleader*, links between persons, links between people, network analysis of suspects, who might, who may, who will, prime suspect*, most likely, classif*, categor*, prioriti*, flag*, infer*, deduc*, personality, psychological, attacked again, hit again, targeted again, harmed again, voice stress, vulnerab*, solvability, identifies suspects, identify suspects, find suspects, finds suspects, point to suspects, persons of interest, how dangerous`,
  ),
};

const rule = annex3<keyof typeof lawEnforcementConcepts>;

export const lawEnforcementRules = [rule("6", "law enforcement", ["police", "suspect"])];
