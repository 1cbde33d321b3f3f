/**
 * Article 5(1)(a) to (h) by the elements of each letter: a means, whom it meets, what comes of it. `article-5.ts` has the plainer words, on which these lists
 * build; here stand those that say little alone, so that a rule asks for one more of them.
 */
import { article5Concepts as plain } from "./article-5.ts";
import { biometricConcepts } from "./biometrics.ts";
import { AT_SCHOOL, AT_WORK, type LexiconRule, POLICE, words } from "./phrases.ts";

/** (a) and (b): what people are brought to do, and what it costs them. */
const COSTS = [
  ...plain.to_harm,
  ...words(`whole savings, all savings, saved, account is empty, accounts are empty, empty account*, empties the account, nothing left, last penny,
    last cent, last euro, last money, bank transfer*, transfer their, transfer his, transfer her, transfer money, transfer the, send money, sends
    money, sending money, hand over, hands over, cannot bear, cannot repay, never repay, cannot pay, unable to pay, can afford, cannot afford,
    over-indebt*, overindebt*, debt, debts, indebted, insolven*, destitut*, penury, poverty, homeless, collapse*, liver*, damage the, damages the,
    in hospital, hospitalis*, hospital admission, intensive care, sleepless, no sleep, without sleep, stay awake, stop eating, stops eating, starv*,
    fasting, malnourish*, chemotherapy, stop .. treatment, stopping .. treatment, stop .. medicine*, stop .. medication, refuse .. treatment, drop
    .. treatment, give up .. treatment, kill themselves, killing themselves, kill himself, kill herself, killing, suicid*, self-harm*, cut
    themselves, hurt themselves, harm themselves, injure themselves, break with, against .. interest, against .. will, against .. better judgment,
    overdose*, poison*, intoxicat*, binge*, gambl*, casino, bet, bets, betting, stake, stakes, wager*, worthless shares, worthless coins, fake
    shares, loans, loan, credits, instalment*, life insurance, mortgage*, pay day, payday, house, flat, inheritance, heirloom*, power of attorney,
    will in, testament, vote, votes, polling day, stay at home, stays at home, stay away, from voting, health, illness, drugs, pills, tablets,
    cigarettes, tobacco, alcohol, spirits, liquor, harm, harms, harmed, harmful, damage, damages, loss, losses, lose, loses, lost, ruin*, suffer*,
    exhaust*, burn out, worse off, far more than, more than they, waste their, sign away, never wanted, do not want, did not want, do not need,
    don't need, never need, would never, would not have, would have refused, overpriced, several times the, smok*, whatever they have, whatever he
    has, whatever she has, everything they have, everything he has, everything she has, all they have, all they own, their money, his money, her
    money, fortune, livelihood, family home, wages, college fund, nest egg, retirement fund, retirement savings, rent money, kidney*, overweight,
    obes*, anorexi*, eating disorder*, insomnia, breakdown*, trauma*, accident*, death, deaths, die, dies, died, injur*, heart attack*, bankrupt*,
    foreclos*, evict*, divorce*, dismissed, lawsuit*, crash*, expensive, dear, costly, at a loss, detriment*, disadvantage*, poorer, broke, double
    the price, twice the price, any price, sum after sum, much too much, limit of their card, credit card*, overdraft*, dependent, dependence,
    dependency, emergency room*, emergency ward*, emergency department*, land in, insolvent, ambulance, rehab, relapse*, pension*, pot, nest-egg,
    gift card*, heart, organ*, everything, ruined, sold their, sells their, bank account*, bank balance, account balance, deprive*, mental health, psychosis, psychotic, depression, attempt*,
    fatal*, bequeath*, mortgage their, pawn*, insulin, medication, dose, doses, surgery, kidneys, blood, wounds, burns, bruise*, thin, underweight,
    exhaustion, isolation, loneliness, despair, rent, mortgage, ruinous, beyond their means, beyond his means, beyond her means, more than is good,
    too much, day and night, nights, marriage*, custody, citizenship, right to, rights, freedom, unsafe, dangerous, danger, endanger*, risk their,
    risks their, houses, nothing is left, retreat, overdrawn, overdraw, overdraft`),
];

/** What somebody is brought to. */
const STEERED =
  words(`buy*, bought, purchase*, order, orders, ordering, pay, pays, paying, spend*, borrow*, take out, takes out, taking out, sign, signs, signing,
    subscribe*, bet, bets, betting, gambl*, stake*, wager*, play on, keep playing, keeps playing, go on playing, play longer, transfer*, send,
    sends, wire, invest*, donat*, hand over, give up, gives up, vote, votes, voting, click*, scroll*, agree*, consent*, accept*, drink, drinks, eat,
    eats, eating, smoke, smoking, stop, stay away, stay at home, stays at home, stay awake, make its, makes its, steer*, drive them, drives them,
    drives users, lead them, leads them, pull them, draw them, moves them, move them, make them, makes them, makes people, make people, makes users,
    makes customers, makes viewers, makes listeners, brings them, bring them, get people, gets people, get them, gets them, gets patients, gets
    customers, gets users, persuad*, induc*, seduc*, lure*, nudg*, push*, behav*, cravings, crave*, impulse*, appetite, thirst, baskets, take up,
    takes up, restraint, self-control, resist*, keep .. online, keeps .. online, keep users, keeps users, keep people, keeps people, stay online,
    staying online, stay longer, hooked, hook*, addict*, compuls*, convinc*, coax*, coerc*, compel*, trick*, entic*, tempt*, talk* .. into, talked
    into, into taking, into buying, into giving, into signing, into sending, change their, changes their, alter*, switch to, renew*, upgrade*, top
    up, tops up, deposit*, confess*, part with, leave their, quit their, refuse, harm themselves, hurt themselves, swallow, skip, skips, fall for,
    shop, shopping, gamblers, customers into, users into, people into, viewers into, players into, have them, has them, let them, obey*, follow the,
    comply, wish to, grow dependent, dependent on, empty their, empties their, desire*, yearn*, long for, reach for, reaches for, consum*, indulg*,
    install*, commit themselves, join, joins, enrol in, click, sell, sells, selling, sold, move, moved, moves, keeps callers, keep callers, keeps ..
    line, on the line, until they, until he, until she, until people, until users, until customers, until somebody, until someone, leave with,
    leaves with, come back, comes back, returning to, uninstall, stop eating, open their, opens their, reveal their, commit, believe, believes,
    cling*, bequeath*, pawn*, gambles, gamble, wagering, prolong*, extend, extends, renews, confirm, confirms, purchase, sign up, signs up, enrol*,
    hand in, ask for a loan, take a loan, takes a loan, take loans, tempted, driven, drives, pushed, pushes, nudged, coaxed, vote for, votes for,
    abstain*, surrender*, release*, disclose*, share their, cancel their, cut their, cut themselves, starve, binge, overeat*, drink more, given it,
    give it, have given, gives it, loosen*, goes on until, go on until, praise*, recommend*, until shoppers, until visitors, until viewers, until
    patients, until players, until buyers, until listeners, until clients, trolley*, into the basket, in the basket, into the cart, in their carts,
    drain*, bleeds them, bleed them, milks them, run up, runs up, rack up, racks up, take home, takes home, stock up, stocks up, treat themselves, splash out, hand their, wires, wired, wiring,
    remit*, cash out, withdraw their, withdraws their, empty the, plunder their, abandon their, break off, breaks off, forgo, forgoes, sign off`);

/** (e): faces as pictures. */
const PORTRAITS =
  words(`face, faces, facial, portrait*, selfie*, headshot*, head shots, heads, profile picture*, profile photo*, profile image*, pictures of people,
    photos of people, photographs of people, images of people, photographs, photos, snapshots, pictures of everyone, pictures of everybody, pictures
    of anyone, pictures of persons, pictures of users, images of persons, passport-style, mugs, mug shots, mugshots, likeness*, images, pictures,
    videos of people, people's pictures, people's photos, persons' pictures, images containing`);

export const article5Elements = {
  below_notice: [
    ...plain.hidden,
    ...words(`hidden spoken, hidden command*, hidden instruction*, hidden image*, hidden frame*, hidden picture*, hidden slogan*, hidden suggestion*,
      hidden trigger*, hidden voice*, hidden word*, hidden tone*, masked under, masked by, masked in, masked with, masks .. under, buried in, buried
      under, murmur*, mutter*, too soft, too low to, too faint, too dim, too quiet, too small to, too weak to, too subtle, so faint, so soft, so
      subtle, so low, so short, of a second, milliseconds, thousandths, one frame, a frame, frames, hearing threshold, threshold of hearing,
      threshold of perception, threshold of awareness, perception threshold, register consciously, register them, registers them, knowingly,
      secretly raises, secretly steer*, secretly push*, secretly change*, secretly adapt*, secretly play*, secretly mix*, secretly lower*, secretly
      insert*, secretly slow*, secretly speed*, unbeknown*, escapes .. notice, escape .. notice, escapes attention, slips past, slip past, sneak*
      past, bypass*, get past, gets past, circumvent* .. will, under the radar, priming, primes, tachistoscop*, half-asleep, half asleep, while
      asleep, while they sleep, while .. sleeps, during sleep, in their sleep, invisible cue*, invisible prompt*, invisible pattern*, invisible
      frame*, invisible signal*, invisible light, hidden frequenc*, inaudible, undetected by, not realise, not realize, do not realise, don't
      realise, never realise, never notice*, hardly notice*, not notice, fail to notice, without .. noticing, nobody can see, nobody is aware, not
      conscious, subsonic, ultra-low, low-frequency, high-frequency, brain stimulat*, neurostimulat*, brainwave*, brain-computer, neural stimulat*,
      pulses, scent below, odour*, in the blink, no customer hears, no user hears, no one hears, nobody hears, unseen, unheard, unfelt, unnotic*,
      not consciously, without conscious, nobody could, no human, no eye, no ear, not audible, cannot perceive, cannot see, cannot hear,
      imperceptible, below what, beneath what, under what, above what .. hear, outside what, quieter than, faster than the eye, shorter than the
      eye, fast than, too rapid, too quickly, too fleeting, fleeting, flashed, flashes, flash, micro-second*, microsecond*, subperceptual,
      sub-perceptual, supraliminal, embedded in the, woven into, mixed into, hidden in, hidden within, hidden beneath, hidden below, hides in, hides
      below, layered under, beneath the music, under the music, beneath the audible, masked, camouflaged, disguised in, covert*, steganograph*,
      bypassing, go unnoticed, goes unnoticed, pass unnoticed, unconscious mind, subconscious mind, do not consciously, ear does not, ear cannot,
      ear .. catch, eye does not, eye cannot, than perception, than the eye, than anyone, than anybody, cannot tell why, do not know why, without
      knowing why, not aware, no awareness, low volume, ultra-short, ultrashort, brief image*, brief flash*, hidden layer of sound, soundtrack
      carries, silent command*, silent suggestion*, silent message*, do not perceive, not perceive, underneath the, level at which he would notice,
      level at which she would notice, level at which they would notice, below the level, notice a pattern, a blink, sees knowingly, see knowingly,
      hears knowingly, hear knowingly, notices knowingly, perceives, nobody sees, overlays, interleav*, superimpos*, undertone*, overtone*,
      whispered, whispering, hum, humming, faintest, hypnag*, hearable, barely hearable, voice commands beneath, so softly, so faintly, so briefly, so quickly, far too soft, far too short, far too fast, far too
      quiet, far too faint, too softly, too faintly, too short for, too fast for, too quiet for, too soft for, of which they know nothing, of which
      nobody knows, without them knowing, without the .. knowing, without their noticing, undetectable, undetectably, not detectable, do not suspect,
      suspects nothing, suspect nothing, beneath conscious*, beneath awareness, below awareness, underneath conscious*, barely heard, hardly heard, scarcely heard, scarcely
      audible, hardly audible, for sleepers, sleepers`),
  ],
  /** Machines have no mind that could be steered. */
  no_mind:
    words(`pump, pumps, vibration*, predictive maintenance, bearing, bearings, turbine*, compressor*, gearbox*, machine tool*, spare part*,
    loudspeaker defect*, old recordings, restor*`),
  steered: STEERED,
  cost: COSTS,
  trickery: [
    ...plain.deceive,
    ...words(`invents a, invents an, invents the, invents that, inventing, adopts the voice, adopts the identity, in the voice of, with the voice of,
      imitates .. voice, imitating .. voice, imitates .. relative*, daughter's voice, son's voice, grandchild's voice, grandson's voice, mother's
      voice, boss's voice, voice of .. daughter, voice of .. son, voice of .. child, voice of .. grandson, voice of .. mother, voice of ..
      relative*, voice of .. boss, sobs, sobbing, pretend*, makes up a, making up, made-up, made up, the lie that, a lie that, lies to, tells lies,
      lies about, lying to, in the name of a, in the name of .. neighbour, under a false, under false, under the name of, simulates .. danger,
      simulates love, simulates affection, simulates a, bogus, sham, phoney, phony, hoax*, fib, fibs, trickery, tricks, ruse*, cheats, cheat them,
      fraudulent*, exploits .. fear*, plays with .. fear*, fear of, fears of, stokes, stirs up, sows, guilt, shame them, shames them, ashamed,
      wearing them out, wears them out, keeps at it, keeps calling, keeps on, does not let up, never lets up, until they give, until .. sign, until
      .. pay, until .. agree, until .. yields, nag, nags, nagging, badger*, harass*, browbeat*, intimidat*, threaten*, threat of, break with, break
      off, turn against, estrange*, isolat*, encourage .. thoughts, encourages .. thoughts, encourages .. suicid*, talks .. into, talk .. into,
      talking .. into, fake, fakes, faked, faking, forged, forges, counterfeit, false, falsely, untruth*, dishonest*, deceit*, deception, deceptive,
      misrepresent*, mislead*, manipulat*, dark pattern*, dark-pattern*, hidden fees, hidden cost*, hides the, hide the, hiding the, conceal*,
      obscur*, confus*, disguis*, masquerad*, scarcity, only .. left, countdown*, sense of urgency, panics users, into panic, scare*, scaring,
      horror stories, blackmail*, extort*, emotional dependen*, dependent on it, emotional bond, falls in love, fall in love, in love with, romance,
      confidence trick*, groom*, brainwash*, indoctrinat*, radicalis*, hypnot*, conspiracy, rumour*, rumor*, slander*, break .. will, breaks ..
      will, break down .. resistance, breaks .. resistance, wear down, wears down, no way out, cannot leave, impossible to cancel, buries the
      cancel*, claims that, claiming that, claims to, flattery, flatters, flattering, invented, invents, plays a grandson, plays a relative, plays
      the, acts as if, grandson, grandchild*, in custody, deepfake*, deep fake*, cloned, clones, clone of, stolen identity, assumed name,
      fictitious, fictional .. expert*, alleged, purported*, supposed, feigned, made to believe, makes them believe, make them believe, led to
      believe, leads them to believe, believes it, believing, think it is, thinks it is, insults, bullying, mocks, humiliat*, relentless*,
      incessant*, insistent*, persistent*, bombard*, hounds, hounding, stalks, dozens of calls, day after day, again and again, exploits .. bias*,
      bias*, loss aversion, near-miss*, near miss*, variable reward*, intermittent reward*, love-bomb*, intimacy, charm*, emotional need*,
      loneliness, jealous*, never tells them, does not say, does not tell, keeps quiet, keeps silent about, leaves out, omits, tilts, swaps the
      button*, pre-ticked, preticked, trick question*, trap, traps, trapped, no honest, under pretence, under pretense, pretence, dressed as,
      dresses up as, passes itself off, passing off, passes for, impersonat*, imposter*, impostor*, swindl*, con artist*, scam*, spoof*, bait,
      baits, scripted lies, gaslight*, half-truth*, twisted, distort*, coercive, undue influence, pressure tactic*, high-pressure, poses as, posing
      as, tax inspector, fake policem*, false police, false officer, arrest, threatens, threatening, alarmist, false alarm*, fake alarm*, invent*,
      never disclosed, not disclosed, undisclosed, never revealed, alarms are, lawsuit, hours on, does not stop, do not stop, never stops, will not
      let, exploits trust, abuses trust, abuse of trust, abuses .. trust, misstate*, misinform*, misquot*, distorts, work on .. guilt, works on ..
      guilt, fabricat*, tragedies, does not relent, not relent, relent*, unrelent*, knowingly, against better knowledge, simulated, staged,
      imaginary, phantom, counterfeits, exploits the, plays off, emotional manipulat*, psychological, fomo, fear that, shaming, blaming, nightmares,
      love scam*, catfish*, pig butchering, sock puppet*, fake peer*, fake users, fake followers, passes itself off, lying about, being a real woman, being a real man, being a real person, being human, claims it is a, claims she is a, claims he is a, hacking attack, safe account, invented emergency, invented emergencies,
      invented deadline*, invented illness*, plays dead, plays ill, crocodile tears, false testimon*, false certificate*, forged letter*, phantom
      winnings, false prize*, false inheritance*, clairvoyan*, terrif*, frighten*, false diagnos*, invented diagnos*, invented debts`),
  ],
  /** (b): who can defend himself less. */
  weak: [
    ...plain.vulnerable,
    ...words(`five-year-old*, six-year-old*, eight-year-old*, ten-year-old*, twelve-year-old*, year-old, year-olds, schoolgirl*, schoolboy*, teen,
      teens, youngsters, adolescen*, girls, boys, toddler*, frail, aged, octogenarian*, care home*, nursing home*, single mother*, single parent*,
      widower*, given notice, notice to quit, just been dismissed, made redundant, unemployed, jobless, out of work, laid-off, on benefits, asylum
      seeker*, refugee*, undocumented, displaced, migrant*, do not understand, does not understand, cannot read, hardly read, poor readers, low
      education, uneducated, illitera*, foreign workers, seasonal workers, compulsive, problem gamblers, gambling problem, drinkers, alcoholic*,
      recovering, relaps*, dependent on, deaf, blind, paralysed, wheelchair users, handicap*, down syndrome, learning difficult*, autis*, adhd,
      mental*, depress*, suicidal, burnt-out, burned-out, traumatis*, traumatiz*, victims of, abused, battered, bereav*, mourn*, obituar*, widow*,
      grief, grieving, miscarriage, fresh divorce, divorcees, heartbroken, dying, the dying, hospice*, cancer, chronically, seriously ill, severely
      ill, insolven*, bankrupt*, overdraft*, overdrawn, bailiff*, evict*, foreclos*, pawn*, poor, poorest, low income, low incomes, impoverish*,
      rough sleepers, on the street, feels fat, feel fat, ugly, bullied, outsiders, down's syndrome, toddlers, babies, six-year, seven-year-old*,
      nine-year-old*, eleven-year-old*, thirteen-year-old*, fourteen-year-old*, under twelve, under ten, under 12, under 13, under 14, under 16,
      over 75, over 80, over 85, over eighties, granny, grannies, granddad*, pension age, care recipients, residents of care homes, cognitiv*,
      memory loss, failing memory, bad memory, brain injur*, stroke patients, psychiatric*, schizophren*, bipolar, electricity is about to be cut,
      about to be cut off, threatened with, cannot pay their, destitut*, hardship, insolvent, laid off, lost their, lost his, lost her, newly
      arrived, new arrivals, stateless, roma, travellers' community, prisoners' families, released prisoners, substance abus*, drug addict*, heroin,
      gambling addict*, shopping addict*, hungry, sick, ill people, the ill, invalids, fragile, helpless, defenceless, desperate, lonely, isolated,
      worried, frightened, anxious, divorcing, pregnant, miscarried, lovesick, insecure, naive, gullible, trusting, demented, senile, rehab,
      withdrawal, kids, infants, cry, crying, weak-willed, weak willed, tipsy, elderly, old lady, lady is, grandma, grandpa, eight- to, children
      aged, girls of, boys of, older callers, older people, older customers, older persons, older users, the old, the elderly, mental confusion,
      typing errors that, blind and, the blind, the deaf, low iq, low intelligence, simple people, first graders, second graders, primary pupils,
      nursery children, orphans, foster children, runaways, girls aged, boys aged, aged eight, aged nine, aged ten, aged eleven, aged twelve, aged
      thirteen, aged fourteen, with anxiety, with depression, with addiction*, with dementia, with a disability, with disabilities, with learning,
      with autism, with cancer, with debts, on welfare, social assistance, foreigners, expell*, flood victims, earthquake victims, disaster victims,
      war refugees, survivors, eight-year-olds, seven-year-olds, nine-year-olds`),
  ],
  /** Their weakness is found and used. */
  weak_moment:
    words(`moment, moments, in the hour, hour in which, hour when, hour at which, at night, night, midnight, in the morning, minute, when they, when
      she, when he, when it, weakest, weakness*, weak, fear, fears, worry, worries, despair*, desperat*, distress, lonel*, sad, confus*, forgetful*,
      forget, give in, gives in, least resistance, resist*, no resistance, refuse, cannot refuse, do not understand, does not understand, not
      understand, understand less, seldom complain, rarely complain, never complain, do not complain, naiv*, trust, trusting, credul*, gullib*,
      impuls*, cravings, crave, relapse*, quit, stop, dependen*, need, needs, hardship, plight, shame, guilt, vulnerab*, target*, addresses,
      addressed, singles out, finds, find, spots, detect*, picks, learns, learnt, notices, notice, recognis*, recogniz*, knows, infers, ranks,
      pester*, beg, begs, nags, nag, promise*, dare, dares, challenge*, tuned, tailor*, adapts, optimis*, maximis*, exploit*, prey*, tells, tell,
      uses it, uses this, uses that, use this, use it, takes advantage, while they, while she, while he, just after, right after, as soon as, on the
      day, in shock, shock, vulnerable, off guard, least, tired, exhaust*, drunk, hungry, believe, believes, obey*, polite, cannot tell, unable to,
      lack of, lacks, limited, inexperience*, illiter*, dependence, craving, urge, urges, hope, hopes, panic*, approach*, contacts, reaches out,
      calls, rings, messages, aims at, aimed at, aim at, segment*, seeks out, looks for, hunts, filters, sorts out, scores, predicts, by their,
      linger*, before closing, hold their, chooses, choose, adverts, recognised, crying, befriend*, keeps track, when they are, lowest, at their
      lowest, offered, offers, aimed, cannot yet, cannot judge, not yet, do not see, does not see, do not know, scored by, attachment, uses their,
      uses his, uses her, use their, on the evening, evening, pay day, payday, again and again, each time, every time, tempts, tempt, starves on
      screen, dies, die, cries, lacking, poor eyesight, poor hearing, slower, lonelier, weaker, soft spot*, weak spot*, sore point*, blind spot*,
      susceptib*, receptiv*, prone, most likely to, likeliest, over and over, most confused, thirty times, step by step, badly, poorly, hardly, with difficulty, barely, cannot follow, do not follow, mistake, mistakes, misread, misunderstand, misunderstands, trick, fooled, take for, takes for, mistakenly, weeps, weep, weeping, whines, whine, sobs, sulks, pouts, threatens to leave, runs away, goes hungry, falls ill,
      about to quit, wants to quit, wants to stop, try to stop, tries to stop, about to stop, first days after, in the week after, after a funeral,
      after the funeral, after a diagnosis, after the diagnosis, no longer follows, loses the thread, asks the same, repeats herself, repeats himself`),
  to_their_loss:
    words(`unless .. buys, unless .. buy, sells them, sell them, sells .. to, presses, pressed into, talked into, talks them, talk them, talks him,
      talks her, talks .. into, persuades, persuade, lures, lure, luring, coaxes, coax, pushes, push, pressures, pressure, leads them to, lead them
      to, gets them, gets him, gets her, get them, makes them, make them, makes him, makes her, brings them to, trick*, dupe*, duping, rip-off*,
      unneeded, useless, worthless, dearest, overpriced, ruinous, usur*, high-interest, per cent interest, % interest, instalments, payday, loan
      shark*, quick cash, instant loan*, bonus, free spins, free bets, loot box*, in-game, gold package, funeral package, annuity, annuities,
      funeral plan*, timeshare*, miracle, quack, cure, cures, pills, fasting, stop eating, diet, self-harm, cut themselves, choke, choking,
      dangerous, signs, signing, signature*, sign over, hand over, giving their, identity card*, bank details, card details, account numbers,
      savings, deeds of, power of attorney, change .. will, four times, three times, twice as much, double the price, pay up, more expensive,
      without the clause, worse terms, worse conditions, contracts that bind, bind them, bind him, below the minimum, labour contracts, donate*,
      donation*, subscription*, in-app, outfits, gems, coins, upsell*, gamble, gambles, gambling, betting, casino*, if .. not order, if .. not buy,
      does not order, does not buy, unless, mobile contracts, have them, agree to, loan that, loans that, loans at, credit at, consolidation, pawn*,
      sell their, sells their, give away, gives away, invest, investing, crypto*, trading app, penny stock*, lottery, jackpot*, scratch card*, slot
      machine*, bet more, play more, play on, play longer, drink more, vap*, cigarette*, opioid*, supplements, remedies, healer*, sect, cult,
      recruit*, extremist*, prostitut*, sell photos, nude, undress, meet strangers, run away, dare, dares, climb, jump, self-injur*, skip meals,
      ruin*, cash in, profit from, to our profit, squeeze, milk them, fleec*, overcharg*, surcharge*, extra fees, commission, renewal, add-on*,
      insurance they, policies they, policy they, doorstep, hard sell, buy on credit, buys on credit, buying, buy now, books the, books her, books
      him, sells, repair*, wine, beer, liquor, vodka, adverts for, ads for, offers for, special offer*, discounts on, until they faint, faint, hold
      their breath, insult*, sign up, signing up, upgrade*, premium plan*, same again, gift card*, voucher code*, asks for money, asks them for,
      asks him for, asks her for, deposit*, scheme*, pyramid*, stunt*, contracts they, badge by badge, closing team, money from, at any price, pay
      for, confirm again, spend their, spends their, parents' money, pocket money, credit line*, tempts, renewals, up to the loss, premium numbers,
      premium-rate, hotline at, ringtones, fortune teller*, psychic*, horoscope*, sects, exorcis*, dowry, card is charged, cards are charged, is charged to, charged to their, limited offer*, dangles, dangle, dangling, marriage broker*, rent-to-own, bail bond*,
      loan contract*, credit contract*, debt contract*, take for forms, mistake for, mistakes for, small print, waiver*, debt collector*, lawsuit funding, debt settlement, equity release, reverse mortgage*, cosmetic*, botox, steroids, weight-loss, laxative*, energy drink*,
      sweets, junk food, fast food, sugary, makes them sign, to sign, sign for, sign contracts, most expensive, lose their deposit, lose their,
      loses their, say yes, says yes, additional services, extra services, wine offers, get drunk, their wages, year's wages, pay up to, asks its
      parents, ask its parents, ask their parents, asks their parents, asks his parents, asks her parents, costly, premium course, ask mum, asks mum, ask mummy, asks mummy, ask mom, asks mom, ask dad, asks dad, ask
      daddy, asks daddy, ask grandma, buy another, buys another, another outfit, another skin, another round, free spin, one-click, luxury goods, able to repay, never be able, floods them, flood them, instant credit*, instant
      loans, wages are gone, money is gone, account is empty, until his wages, until her wages, standing order*, direct debit*, premium sms, mystery
      box*, season pass*, battle pass*, coin pack*, gem pack*, consolidation loan*, overpriced, funeral cover, hearing aids they, mattresses at,
      magnetic, wonder drug*, holy water, talisman*, amulet*`),
  no_loss: words(
    `warns, protect*, prevent*, helps, support*, carer*, caregiver*, counsel*, advice, refers, hands over to a human, social worker*, remind*,
      therap*, teacher*, lesson*, creditworth*, approv*, eligib*, entitl*, repay*, default*, who gets it, applications, claims, triage, emergency,
      opening hours, offer a tutor, dean, hands over to a person, debt relief, debt office, debt advice, ranks homeless, list waits, waiting list,
      waits longer, child protection, child benefit, ambulance, exam, exams, insurer wants, grammar school*, fraud score, never sells, sells nothing, sells no, nothing is sold, no adverts,
      has no shop, missing and exploited, victims`,
  ),
  /** (c): a life among others, of which two different things have to be named. */
  private_life:
    words(`neighbour*, neighbor*, gossip*, friends, friendship*, acquaintance*, company kept, company they, circle of, social media, social network*,
      posts, likes, comments, chats, chat groups, messages they, dating, club membership*, memberships, church, mosque*, mass, prayer*, religious
      service*, parade*, demonstration*, petition*, protest*, party meetings, volunteer*, voluntary, good deeds, donating blood, blood donation*,
      charity, courtes*, polite*, rude*, manners, greeting, greets, swear*, curs*, drunk*, drinking, loud music, noise, noisy, quarrel*, littering,
      litter, dog fouling, dog mess, sorting waste, waste sorting, rubbish, recycling, garden*, tidiness, tidy, jaywalk*, red light*, crossing at
      red, parking, parking ticket*, traffic fine*, fines, unpaid bill*, bills, utility bill*, library, reading habit*, books they, films they,
      video games, gaming, shopping, purchases, parcels, food deliveries, alcohol, cigarettes, gym, gyms, leisure, hobb*, way of dressing, dress,
      clothes, lifestyle, life style, way of life, way of living, daily life, everyday, everyday life, private life, family quarrel*, famil*,
      children's behaviour, upbringing, bus, public transport, travel*, behav*, conduct, decen*, virtue*, moral*, honest*, honour*, patriot*,
      loyal*, obedien*, civic, citizenship, good citizen*, criticism of, criticis*, mayor*, government, treat waiters, character, how people treat,
      treat others, ratings from, reputation*, reliab*, trustworth*, tipping, punctual*, electricity saving, energy use, smoking, divorce*, sexual*,
      relationships, browsing, searches, phone contacts, contacts, location*, whereabouts, lifestyles, festival*, helping, helps, officials, merit*,
      disorderly, household*, guest behaviour, parties, cursing, praise, praises, opinions, views expressed, utterances, jokes, disobedien*,
      honesty, generosity, generous, donations, donates, street, pavement, dog, dogs, pet, pets, tram, trams, fare dodging, fare-dodging, queue
      jumping, jumping queues, returns of, returned late, late returns, overdue, complaints, complain*, marriage*, couples, parents, parenting,
      school runs, sport, jogging, diet, fast food, drinks, pub, pubs, bars, club nights, nightlife, concerts, tv, viewing habits, screen time, app
      use, apps, phone use, phone data, location data, purchases of, buying habits, subscriptions, followers, contacts with, friendly, company,
      associates, association*, sports, temper, remark*, meetings, visitors, attending, attendance, social grade*, social mark*, social index,
      social rating*, social points, social value*, social number*, social ranking*, social standing, wardens, nothing to do with, unrelated,
      late-night, beg, begs, begging, speech, speeches, traffic behaviour, in traffic, on the internet, internet, in the family, family life,
      membership*, household waste, smokes, drinks alcohol, plays loud, graffiti, spitting, queueing, saluting, flag, anthem, pilgrimage*, fasting,
      headscarf, army, military service, blood donor*, adultery, debts to, unpaid, credit history and, blog, blogs, opinions on, remarks about,
      statements about, followers of, likes on, emojis, photos they, pictures they, videos they, whom they, who they meet, with whom, whom they date, dates, quarrels, rows with, bottles,
      late books, red lights, swearing, insulting, insults, clean-up, clean-ups, cleanup, on the net, online, restaurants, on buses, in shops, at parties, shopping trips, party membership, likes under, church attendance, dating profiles, helpfulness, obedience, bad language, foul language, waste, dating habits, dating apps, love life, affairs,
      bar visits, beer, compliments, gratitude, kindness, courtesy, friendliness, snow clearing, clearing snow, staircase, lawn, lawns, opinions`),
  summed: [
    ...plain.tally,
    ...words(`barometer*, thermometer, summed, sums, sum of, adds up, added up, condens*, boil* down, distil*, merge*, combin*, weigh*, ledger,
      account of, credit points, plus points, minus points, penalty points, stars, star, gain, gains, lose points, loses points, bonus points,
      level, class a, class c, class d, classes, colour, badge*, category, list of, blacklist*, black list*, profile, trust number, trust value,
      trust index, trust score, decency, virtue index, character value, engine, letter grade, tier*, percentile*, status, merits, demerits, point,
      points, figure, sum, total, totals, ranking*, rankings, rated, scored, sorted into, grades, overall, composite, aggregate*, aggregat*,
      calculates, computes, assessment, assessed, verdict, labels, blackmark*, black mark*, credit, credits, karma, esteem, respectab*, evaluat*,
      social grade*, minus, plus, mark of, turned into a, out of ten, out of hundred, deducts, deduct, subtract*, adds, awards, group e, group d,
      group c, group, groups, too few, sums up, classif*, categor*, labelled, stamp, caste, ladder, traffic light, trust, green citizens, red
      families, to a colour, into a colour, logged, logs, registers, in the red, citizen list*, red list*, calculate, how good a person, what kind of person, how decent a person, noted down, tots up, totted up, tallied, tallies, accumulat*, piles up, accrues, accrue,
      collected over, added together, compiled into, meter, barometer, subtract, subtracts, account for each, account of each, conduct account*,
      behaviour account*, points account*, conduct mark*, conduct grade*, conduct value*, conduct index*, conduct score*, decency mark*, decency
      grade*, decency index*, respect index*, respect points`),
  ],
  shut_out: [
    ...plain.setback,
    ...words(`turn away, turns away, turned down, turn down, rejects, rejected, bar, bars, barred, ban, bans, banned, blacklist*, dearer, more
      expensive, raise*, higher rent*, higher price*, higher premium*, higher deposit*, surcharge*, no passport, no visa, no council flat, no ticket*, no seat, no seats, no train*, no flight*, last, later, decides on access, decide on access, decides who may, decides whether, access to,
      admission to, admits only, only those, only people, is given, are given, shuts, shut, kept from, keeps .. out, withheld, withhold*, withdraw*,
      stop*, cancel*, suspend*, throttl*, drop*, demot*, downgrad*, ineligib*, not eligible, cannot, can no, not get, not rent, not buy, not
      enter, not travel, not enrol, public jobs, lose .. right, loses .. right, reduc*, cut, cuts, worse, penalis*, penaliz*, sanction*,
      fewer hours, refused, left over, gets no, get no, receive no, receives no, low number, low score, low scores, lowest, in the red, without a,
      no heating, no subsidy, no loan, no flat, no job, no school, no place, no doctor, no insurance, no no contract*, pushed back, sent away, sent
      back, second-class, second class, closed to, off limits, off-limits, priority, preferred, preference, privileg*, first, discount*,
      perks, favour*, favor*, fast lane, costs more, charged more, charges more, pay double, must pay, pays double, deposit,
      deposits, doors stay, remain closed, stays closed, may enter, may board, may buy, may rent, may apply, disqualif*, forfeit*, miss out, unable
      to, impossible, punish*, evicts, evicted, strips, stripped, taken away, takes away, takes from, revok*, not admitted, are not admitted, is not
      admitted, closes doors, close doors, doors close, decide about, decides about, decide on, except in emergencies, only in emergencies, not
      served, not given, not allowed, no access, do not get, does not get, will not get, not receive, neither, gets neither, get neither, lose
      their, loses their, free bus pass, are refused, is refused, gets only, get only, may only, must not, must wait, have to wait, has to wait,
      have to pay, has to pay, not hired, not insured, not let, no bank account, no account, no policy, no university, no credit, no card, no
      licence, no permit, no benefit*, places at, not be, unable, halved, halves, halving, thrown out, throws out, not sold, is lost, are lost, sent to the back, back of the queue, to the
      end of, end of the line, twice as long, longer waiting, longer queue*, docked, docks, docking, shortened, curtailed, capped, lapses, lapse,
      expires, void, voided, declared invalid, ticket ban*, entry ban*, closed for, struck off, strikes off, struck from, off the list, removed from
      the list, loses the place, lose the place, loses a place, out of the running, comes to nothing, gets half, get half, only half, third less`),
  ],
  no_town: words(
    `employee*, worker*, freelancer*, pupil*, student*, job applicant*, job candidates, candidate, personality test*, loan applicant*, borrower*, creditworth*, repay*, default*,
      patients, offender*, prisoner*, suspect*, asylum*, visa applicant*, at the border, policyholder*, risk of claims, claimant*, mortgage*,
      solvency, credit risk*, payment history, house loan*, motor insurance, car insurance, telematics, players, gamers, forum rules, moderat*,
      sellers on, candidates, applicants for a job, applicants for the job, job, jobs, employment history, vendors, suppliers, restaurant reviews, rates restaurants, hotels'
      reviews, exam*, marks in, lender*, bank statement*, interest depends, interest rate*, credit bureau*, rent arrears, migration office, asylum,
      visa, border, interviewer*, recruit*, vacanc*, cv, cvs, temp agency, temporary worker*, shifts, promotion, parole, custody, grammar school*,
      dropout*, drop out, convict*, emergency call*, benefit claim*, child benefit, insurer wants, life insurer*, health insurer*, news feed*, newsfeed*, ranks posts, ranking of posts, recommends, hotel reviews, product reviews`,
  ),
  /** What is nobody's business: where two of these are named, and something is lost for them, it hardly matters who refuses it. */
  private_conduct:
    words(`dating, dates, whom they date, love life, quarrel*, rows with, neighbour*, neighbor*, gossip*, friends, friendship*, drinking, drunk*, bars,
    pubs, bottles, rubbish, waste sorting, littering, litter, parking ticket*, parking fine*, jaywalk*, red lights, loud music, noise, swear*, curs*,
    rude*, courtes*, helpfulness, volunteer*, church, mosque*, prayer*, petition*, protest*, demonstrat*, library books, reading habit*, video games,
    gaming, shopping, what they buy, what tenants post, what people post, posts, likes, comments, social media, social network*, opinions, remarks,
    jokes, dog mess, dog fouling, lifestyle, alcohol, cigarettes, dress, clothes, tidiness, unpaid bill*, bills, upbringing, marital quarrels, conduct
    in public, behaviour in public, conduct account*, character meter*, decency, virtue*, morals, loyalty, civic spirit, patriot*, leisure, hobb*`),
  lost_for_it:
    words(`no seat, no seats, no credit, no school, no room, no permit, turns away, turn away, takes points off, points off, wait a year, waits a year, a year longer, years longer, halved, halves, refus*, is lost, are lost, lose their, loses their, lose his, lose her, lose the, loses the, loses his, loses her, thrown out,
    throws out, not sold, turned down, turned away, barred, banned, denied, is denied, are denied, evict*, withdrawn, cut by, is cut, are cut, stopped,
    suspended, excluded, exclude*, shut out, waits twice, wait twice, twice as long, back of the queue, end of the queue, bottom of the queue, bottom of
    the list, end of the list, off the list, last in line, docked, get nothing, gets nothing, no longer get, no longer gets, gets no, get no, no ticket,
    no tickets, no flat, no loan, no licence, no place, no benefit*, may not, must wait, has to wait, have to wait, forfeit*, struck off, pay more,
    pays more, pay double, pays double, higher rent, higher fees, ineligible, blacklist*, reduced`),
  no_town_at_all: words(
    `employee*, freelancer*, job applicant*, job candidates, candidates, recruit*, vacanc*, cv, cvs, promotion, creditworth*, repay*, default*, credit
      risk*, payment history, bank statement*, interest rate*, insurer*, insurance, premium*, policyholder*, telematics, patients, offender*, prisoner*,
      suspect*, parole, probation, custody, asylum*, visa*, border, migration office, child protection, child welfare, welfare of the child, endanger*,
      neglect, abuse, domestic violence, emergency call*, exam*, pupil*, student*, players, gamers, forum rules, moderat*, sellers on, vendors,
      suppliers, hotel reviews, product reviews, restaurant*, news feed*, newsfeed*, ranks posts, ranking of posts, recommends, rent arrears, social
      housing need, advertis*, customers'`,
  ),
  /** (d): what somebody may do, and what he is. */
  crimes: [
    ...plain.crime,
    ...words(
      `pickpocket*, arson*, dealer*, drug dealing, drug trafficking, drug offence*, kill, kills, killer*, robber*, rob, robs, robbery, theft*,
        dangerousness, dangerous person*, violence, violent, assault*, stab*, hooligan*, lawbreak*, law-break*, vandal*, troublemaker*, gangster*,
        gang member*, mugger*, fraudster*, swindler*, rapist*, molest*, sex offender*, terror*, extremis*, smuggler*, illegal, unlawful, outlaw*,
        bandit*, paedophil*, pedophil*, poach*, stalker*, abuser*, killer, bombers, bomber, attacker*, perpetrator*, culprit*, jail, prison, knife,
        knives, gang, gangs, graffiti, hacker*, embezzl*, con man, con men, conmen, recidivis*, malefactor*, wrongdo*, villain*, crook, crooks,
        crime-prediction, wrongdoing, burglary, burglaries, thieving, commit a, commit an, commit the, break into, set fire, beat, beating, beats
        his, beats her, abuse children, deals drugs, deal drugs, weapons, tax fraud, tax evasion, evade .. tax, evade taxes, evades taxes, evading taxes, tax evader*, tax cheat*,
        tax crime*, tax offence*, defraud*, commit fraud, commit .. fraud, commits .. fraud, smuggle, smuggles, smuggling, launder*, money laundering,
        drug courier*, drug mule*, drug runner*, courier of drugs, bribe*, bribery, corrupt*, perjur*, counterfeiter*, forger*, fence stolen, steal, stealing, thieve, trespass*, criminal tendenc*, criminal tendency, criminal energy, criminal potential, criminal disposition, kidnapper*, abductor*,
        hijack*, joyrid*, car thie*, car theft, drunk driv*, hit-and-run, riot, rioter*, rioting, looter*, looting, vandalise*, vandalize*`,
    ),
  ],
  foreseen: [
    ...plain.foresee,
    ...words(`how likely, likelihood, tomorrow's, next year's, before .. happens, before they act, before they strike, who will, will one day, one
      day, later in life, in later life, born to, disposition*, inclin*, tendenc*, label*, flags, names, says if, says whether, score*, points out,
      tells which, tells the, marks, marks as, list of, brand*, character of a, dangerousness, threat, pre-crime, precrime, preventive*, latent,
      will be, will become, will turn, will end, will go, will commit, would commit, would, end up, ends up, talent, talents, destined, born,
      capable, seed, aptitude, might, may become, could become, could, at eighteen, at twenty, by the age, before the age, in ten years, in five
      years, within, percentage, number for, number between, warns, alert*, watch, watches, watched, eye on, visits, visited, suspect*, classif*,
      categor*, sorted, select*, pick*, search*, stop, stops, stopped, determin*, calculat*, comput*, rated, rates, rank*, says who, tells who, who
      has a, who have a, predispos*, criminal type*, type of, potential, expected to, expect*, future offenders, future criminals, becoming,
      becomes, become, turns into, turn into, at some point, sooner or later, predestin*, hotlist*, ahead of, in advance, early warning, danger*, puts a number, put a number, puts a percentage, puts a figure, number on, summon*, raid*, apt to, most apt, liable to, bound to, set to, within a year, within two years, within five years, next 12 months, next
      24 months, next months, coming months, coming year*, returns a percentage, top 500, top 100, top 1,000, first 1,000, names of those, receive the
      names, receives the names, get the names, gets the names, odds that, how probable, how dangerous, how criminal, how violent, next offender*,
      tomorrow's burglar*, tomorrow's offender*`),
  ],
  /** Two different ones, or one that is all there is. */
  who_one_is:
    words(`personality, personality inventor*, character, character test*, temperament*, impulsiv*, introver*, extrover*, neurotic*, psycholog*,
      traits, trait, looks, how they look, how he looks, appearance, face, facial, portrait*, skull*, build, physique, height, tattoo*, skin, hair,
      eyes, nationalit*, citizenship, origin, country of origin, country of birth, birthplace, place of birth, were born, was born, born in,
      ethnic*, race, religio*, faith, surname*, first name*, family name*, name and, mother tongue, accent, father's, mother's, parents, parents',
      siblings, brothers, family size, family background, upbringing, marital status, unmarried, number of children, home address, address,
      postcode*, street he, street she, street they, streets they, district*, quarter*, neighbourhood*, where they live, where he lives, where
      people live, residence, place of residence, age, gender, sex, income, debts, education, school leaving, schooling, job of, father's job,
      occupation, car brand, brand of car, type of car, music, musical taste, taste in, hobbies, clothes, clothing, star sign*, zodiac, horoscope*,
      handwriting, loneliness, lonely, diet, gait, voice, make of car, make of the car, car make, car model, car he drives, car they drive, model of car, car driven,
      type of dwelling, household size, size of the household, size of household, family, number of siblings, single, divorced, mother's, psychometric,
      questionnaire*, respondent*, quarter they, quarter he, part of town, village, region of birth, religion of, sect, name, names and, forename*,
      given name*, maiden name*, languages spoken, language spoken, blood type, shoe size, phone brand, brand of phone, football club*, favourite team`),
  /** What no fact of a deed is; two different ones suffice. */
  oddity:
    words(`personality, character, temperament*, impulsiv*, introver*, neurotic*, traits, looks, how they look, portrait*, skull*, build, physique,
      tattoo*, skin colo*, nationalit*, country of origin, country of birth, birthplace, were born, was born, ethnic*, religio*, surname*, first
      name*, mother tongue, accent, father's, mother's, parents, parents', siblings, family size, number of children, marital status, street he,
      street she, street they, where they live, where he lives, clothing, attire, garb, migrant background, migration background, car brand, brand of car, type of car, musical taste, music, hobbies, clothes, star
      sign*, zodiac, horoscope*, handwriting, upbringing, school leaving, father's job, jaw, nose, forehead, ears, eyebrows, cheek*, physiognom*,
      personalities, type of character, psychogram*, psychological, psychometric*, psychological profile, questionnaire*, essays on, drawings,
      horoscopes, temper, brain scan*, genes, genetic*, dna, blood group, body shape, skin, ethnic, origin, origins, ancestry, religion, faith,
      sect, passport, foreign, place of birth, birth, single parent*, single mother*, orphan*, broken home*, divorced, brothers, brother's, uncle*,
      cousins, relatives, house number, postcode*, estate, high-rise, tower block*, block of flats, housing estate, council estate, income, poverty,
      debts, job of, dress, piercings, haircut, nickname*, video games, rap, playlist*, sports club, pets, diet, school marks, school grades, gait,
      posture, dialect, loneliness, self-esteem, hormone*, personality test*, personality profile*, school photo*, class photo*, family background,
      broken family, place of residence, first names, loudness, shyness, aggressiveness, extraversion, agreeableness, conscientiousness, big five,
      mbti, enneagram, rorschach, inkblot*, graphology, palm lines, voice alone, walk`),
  /** How a face is built. */
  physiognomy: words(
    `shape of .. face, shape of .. skull, shape of .. head, face shape*, facial shape*, bone structure, facial geometry, features of the face, facial
      features, facial bones, facial structure, physiognom*, phrenolog*, jaw, distance between the eyes, eyes and mouth, looks at .. photos, school
      photos, class photos, from photos alone, from a photo alone, from pictures alone, from the face alone, by their faces alone, by face alone,
      scans .. faces, scan .. faces, from pupils' faces, reads .. faces, read .. faces, measures .. faces, measure .. faces, cheekbones, skulls, from looks, from their looks, by looks, by their looks, by his looks, look like criminals, looks like a criminal, face of a criminal, faces of
      criminals, criminal face*, criminal look*`,
  ),
  nothing_else: [
    ...plain.solely,
    ...words(`nothing more than, nothing besides, no more than, inputs are, the only input*, sole input*, sole basis, only input*, uses only, used
      only, only uses, relies only, rely only, rests only, based only, based solely, is only, only traits, only from, only the, and that is all,
      that is all, no deed, no act, none of them has, none has, nobody has done, has not done, have not done, has never, have never, not yet done,
      without .. deed, without .. offence, without evidence, without grounds, just by, just from, just the, simply from, simply by, by looks, no
      previous, no prior, no earlier, no complaint, no witness*, no file, no report, no reports, no police report, no proof, no offence*, no crime,
      no fact, no facts, no acts, done nothing, done no, nobody has committed, not committed, never committed, committed nothing, no link to, no
      connection, whatever they did, whatever he did, regardless of what, irrespective of what, before anything, before any, first contact, by
      profile, by profiling, on profiling, profiling of, profile only, alone decide*, suffice*, enough, entirely, wholly, no other, nothing more,
      nothing further, not what they, not what he, nobody .. ever, ever been reported, never been reported, never reported, never suspected, not
      been reported, no .. ever, no objective, profiling only, play no part, plays no part, play no role, plays no role, no part, no role, not
      suspected, is suspected of, none of them is, none is suspected, no charge*, no accusation*, unsuspected, unsuspicious, blameless, spotless,
      clean, not interested in, does not look at, do not look at, does not use, does not know, knows nothing, ignor*, disregard*, and nothing, nothing that he has, nothing that she has, nothing that they have, nothing he, nothing they, nothing is known, no case
      file*, no case, no investigation, no behaviour, no act, no action, no concrete, no lead, no tip, no police record, no court record, no trace*, no tax return*, no return*, no
      transaction*, no deeds, no conduct, accused of nothing, accused of anything, not accused, is accused, are accused, suspected of nothing, nobody
      is suspected, nobody is accused, first-time, so far innocent, law-abiding so far, hitherto, not a single fact, not a single act, without any
      fact*, without any act, without any deed, without any lead, without a lead, without looking at, by birth, by origin, these four, these five,
      these three, those four, those three, only those, only these`),
  ],
  facts: [
    ...plain.objective,
    ...words(
      `conviction*, convicted, reoffen*, re-offen*, prior offence*, earlier offence*, previous offence*, breach*, probation, parole, arrested,
        reports of, earlier attacks, expert opinion*, expert's opinion, verified, witness statement*, threats made, in the case, crime scene*,
        recorded offences, found weapons, victim*, areas, places, locations, time of day, buildings, fraud detection, transactions, drug test*,
        conduct in custody, earlier reports, previous reports, earlier cases, file on, files of, file of, from .. file, from .. files, in .. file, in .. files, the files, the file, his file, her
        file, their files, police file*, search warrant*`,
    ),
  ],
  /** (e) */
  gathered: [
    ...plain.scrape,
    ...words(`suck*, lift, lifts, lifted, ingest*, swallow*, devour*, slurp*, mined, mines, mining, fish* from, fished, bring* home, copy, cop*
      every, duplicate*, mirror*, import*, mass download*, cuts out, cut out, extracts faces, records the streams, records streams, tap, taps,
      tapping, empties, emptied, raid*, plunder*, skim*, pulled, pulls, pulling, pull, feeds on, fed from, sourced from, drawn from, drawn together,
      saved from, archived from, archive*, stores, stored from, takes whatever, is taken, are taken, taken wherever, found on, finds on, that it
      finds, it can find, come across, comes across, stumble* on, whatever, wherever, snatch*, acquire*, hoard*, pile up, piled up, millions of,
      billions of, billion, grows by, expand*, enlarge*, robots visit, bots visit, robots, bots, roams, fetch*, took off, taken off, off the net,
      off the web, off the internet, off social, takes all, steals, stolen, helps itself, help ourselves, grabs, grabbed, grabbing, rips, ripped,
      ripping, dumps, dump of, screenshots, screenshot*, captures, captured, capturing, retriev*, absorb*, scours, scouring, combs, combing, sifts,
      feed into, fed into, go into, goes into, poured into, build, builds, built, building, largest, biggest, growing, gone through, goes through,
      went through, keep every, kept every, keeps every, collector, collectors, copies faces, copy faces, takes in, took in, ends in, end in, end up
      in, ends up in, flows into, flow into, poured, import, upload*, mass-, assembl*, catalogu*, enrol*, enrich*, adds to, adds every, adds each, added to, adds the, hoarding, appropriat*, sucked, dredg*, dredges, rakes, raking, rake in, rakes
      in, mass-cop*, tallies up, feed its, feeds its, feed our,
      feeds our, comes from, come from, collection of, leaking`),
  ],
  on_the_web: [
    ...plain.open_web,
    ...words(`web, dating portal*, portals, club pages, school pages, news pages, pages of, public pages, homepage*, home pages, social sites, sites,
      telegram, reddit, pinterest, photo platform*, video platform*, platforms, profiles, public accounts, open accounts, networks, social feeds,
      wedding pages, obituary pages, company pages, yearbook*, online album*, image search, search engine*, surveillance camera*, street camera*,
      street-camera*, shop camera*, public webcam*, webcams, cctv, security camera*, camera stream*, video archives, traffic camera*, dashcam*,
      doorbell camera*, live streams, livestream*, off the net, net, internet-wide, doorbells, doorbell*, facebook, instagram, tiktok, webcam*,
      cameras, livestreams, video sites, photo sites, public photos, public pictures, public videos, posted, posts, posted one, news sites,
      newspapers, forums, blogs, search results, school sites, club sites, vk, x.com, twitter, linkedin, xing, youtube, footage, photo platforms,
      city cameras, town cameras, open security cameras, security cameras, video doorbells, image hosts, image sharing, picture sharing, video
      sharing, classified ads, job portals, staff pages, alumni pages, sports clubs, parish pages, event photos, wedding photos, tagged photos`),
  ],
  portraits: PORTRAITS,
  found_by_face:
    words(`face recognition, facial recognition, recognition, recogniser*, recognizer*, recognise*, recognize*, recognising, identif*, database*,
      data base*, index, indexed, indexes, register, gallery, galleries, registry, template*, embedding*, vector*, faceprint*, search by, search
      service, search engine, searchable, searches by, face search*, look up, looked up, looks up, lookup, query, queries, queried, find anyone,
      find anybody, finds anyone, who it is, who that is, who somebody is, who someone is, a face instead, knows everyone, know everyone, names
      strangers, name strangers, put a name, puts a name, names anyone, name to, match a face, match any, match faces, matching engine, biometric,
      reference collection, catalogue of faces, unmask*, stranger*, passer-by, lookup table, who is who, matches them, matches with, sell matches,
      matching, compare with, compared with, identity, identities, names, who somebody, anyone's picture, any picture, reverse image, reverse face,
      similar face*, same face, facial search, person search, people search, people finder, clone of clearview, clearview, give us a face, given a
      face, get the profile, give you the profile, can search them, search them, who they are, who he is, who she is, find persons, find people,
      trace people, trace anyone, track down, tracks down, recognition engine, learn a name, learn the name, get a name, get the name, see his name,
      see her name, learns a name`),
  indiscriminate:
    words(`scrap*, crawl*, harvest*, trawl*, untargeted, indiscriminat*, amass*, hoover*, vacuum*, siphon*, suck*, slurp*, ingest*, spider*,
      million*, billion*, en masse, mass download*, mass copy*, wholesale, in bulk, bulk, whatever, whoever, wherever, everything, all pictures,
      every picture, every portrait, every face, every profile*, every head, each head, all faces, any face, anyone's, everyone, everybody, without
      selection, without any, without asking, without consent, unasked, around the clock, day and night, no matter whose, no matter who, as many,
      robots, bots, swallow*, thousands of, hundreds of thousands, whole internet, entire internet, entire web, whole web, largest, biggest, all
      over, from everywhere, anywhere, continuously, automatic*, automated, every night, every day, nightly, non-stop, nonstop, regardless, no
      permission, without permission, without their, without knowing, unknowing, no list, no target, no selection, any public, all public, every
      public, unselective*, unfiltered, unrestricted, mass, without choosing, without choice, all the time, every frame, all large, every person,
      each person, all persons, all people, of all, of everybody, of everyone, any person, anyone who, anybody who, everyone who, everybody who, all
      comers, blanket, blindly, whatever it, whoever it, whoever appears, whoever is, constantly, permanently, random, at random, endless, billions,
      millions, tens of thousands, without limit, systematic*`),
  allowed_faces: words(
    `own photo*, own picture*, own album, own holiday, volunteers, with consent, consenting, who consented, licensed, paid models, own customers, own
      staff, suspect's, the suspect, of the robbery, one missing, missing person*, missing child*, face blurring, blurs, pixelat*, detects faces to`,
  ),
  /** (f) */
  felt: [
    ...biometricConcepts.emotion,
    ...words(`smile*, smiling, frown*, scowl*, warmth, glum, gloomy, downcast, dejected, downhearted, moodiest, moodiness, cheerful*, cheer,
      self-confidence, insecur*, enthus*, passion, disinterest*, disengage*, how engaged, how enthusiastic, inwardly, inner, attentiveness,
      interest, interested, boring, yawn*, sigh*, tearful, tears, annoyed, annoyance, resent*, dislike*, sincer*, genuinely happy, zeal, fed up,
      temperamental, sentiment, sentiments, excited, confident, relax*, tired of, burnout, burn-out, well-being, wellbeing, emotional, attitude*,
      panicking, panicky, sulk*, absent, absent-minded, daydream*, attention, attentive, inattentive, concentrat*, focus, focused, distracted,
      distraction, frustrated, exasperat*, weary, weariness, dissatisf*, satisfied, satisfaction, gratitude, love, loves, hate, hatred, mistrust*,
      trusting, hopeful, hopeless*, homesick*, bitter, bitterness, sour, merry, merriment, good humour, bad humour, humour, spirits, eager*, keen,
      keenness, zest, listless*, apath*, indifferen*, guilt, guilty, agitation, uneas*, unease, thrill*, tenderness, rage, raging, furious,
      pleasure, mournful, melanchol*, despondent, sadder, happier, happiest, saddest, angriest, calmest, stress level*, stressed-out, anxious,
      grumpy, grumpi*, unenthusiastic, enthusiasm, joyless, delighted, delight, cheerless, mood swings, temper, nerves, nervous, jitter*, hesitan*,
      shy, shyness, timid*, courage, lust, loyal feelings, resentment, resentful, resign inwardly, resigned inwardly, inwardly resigned, sullen, sullenness, gratified, ardour, verve, mirth, dread, dismay,
      gloom, ill humour, ill-humoured, glee, gleeful, downbeat, upbeat, tetchy, cranky, snappish, smug, smirk*, ironic, scorn*, embarrassed, ashamed,
      inner resignation, quiet quitting, stress peaks, strain, pressure they feel,
      comfortable, uncomfortable, at ease, ill at ease, touchy, thin-skinned, irritated, upset`),
  ],
  told: [
    ...biometricConcepts.sense,
    ...words(
      `count*, check*, listen*, listens for, mark, marks, marked, follow*, record*, display*, film*, looks for, compare*, weigh*, grade*, put* a
        figure, derives, deriv*, turns .. into, from .. voice, get*, receive*, feel the, feels the, gauges, gather*, collect*, pick out, name,
        names, score, ring*, rings, sound the alarm, alarm*, notify, notifies, translate* .. into, convert*, sum up, sums up, average*, compute*,
        calculat*, observ*, scan*, hears, hear, listening, is told, are told, know how, knows how, discover*, suggest*, indicat*, diagnos*, grade,
        graded, summar*, reveal*, registers, tests, test, tested, examine*, rank, ranks, ranking, filter*, reads out, passes on, tell*, see*, say*,
        shown, visible, decide*, adjust*, curve, curves, graph, graphs, dial, dials, heat map, heatmap, live bar*, meter, meters, barometer, thermometer*,
        traffic light*, timeline*, ticker, leaderboard, pie chart*, smiley*, emoji*, icon, icons, colour code*, colours, notice, notices, feed back,
        feeds back, deliver*, send*, push*, list, lists, log, logs, logged, tally, tallies, prints`,
    ),
  ],
  read_from: [
    ...biometricConcepts.modality,
    ...words(
      `lapel, badge, keyboard*, keystroke*, mouse movement*, typing, facial muscle*, muscle*, mimic*, hand tremor, sweating, eyelid*, tone of,
        headsets, earbud*, earphone*, glasses, smart ring*, chair sensor*, bio-signal*, skin, seats, seat, chair, tone, breath, breaths, camera,
        cam, cams, lens, lenses, microphones, mic, phones, telephone, mouth, lips, look of, looks on, brows, frown*, head movement*, nod, nods,
        hand, hands, steps, gait, walk, pen pressure, handwriting, touch, mouse, cursor, click rhythm, collar, vest, helmet, cap, caps, headphones,
        bands, band, patch, implants, electrodes, temperature, blood pressure, tremor, saliva, mimic, pupils and, pupil dilation, head-mounted,
        facial, muscles, blood flow, oxygen, radar, wifi, thermography, infrared, voice-print, call, telephony, videoconference*, video conference*,
        zoom, teams calls, ring on`,
    ),
  ],
  at_work: [
    ...AT_WORK,
    ...words(`agent's, agent's own, agents' own, hotline agent*, service agents, our agents, team lead, team leads, cash desk, till, tills, till
      girl*, cashier*, checkout staff, receptionist*, reception staff, warehouse hands, warehousem*, factory floor, assembly line, production line
      staff, home-office, home office, department head*, department manager*, hr, human resources, video meeting*, team call*, your people, your
      team, the team, our team, teams, crew*, stewardess*, cabin crew, hostess*, clerks, fewer hours, bonuses, promotion, foreman, crane operator*,
      labourer*, salesm*, saleswom*, shop assistant*, consultant*, bank teller*, tellers, nurses, doctors on duty, cooks, barista*, porters,
      recruits, candidates, interviewer*, job talk*, probation period, apprentices, staff, subcontract*, riders, pickers, freelancers, drivers by,
      shift, traders, trader, head of trading, trading desk, call taker*, call handler*, appraisal*, yearly review, annual review, performance
      review*, salesforce, sales force, sales rep*, sales team*, workmen, mechanics, technician*, chauffeur*, editors, security guard*, soldier*,
      pilots, crane driver*, dispatcher*, operators, operator's, telemarketer*, telesales, representatives, rep, reps, programmers, coders,
      developers, engineers', bank staff, hotel staff, housekeeping, housekeepers, chambermaid*, maids, carers, care workers, nurses', nurse,
      paramedics, social workers, civil servants, officials, desk clerks, counter staff, counter, front desk, back office, open-plan, shopfloor,
      factory, plant workers, fitters, welders, butchers, bakers, apprentice*, trainee*, intern, job seeker*, job-seeker*, applicant, applicants',
      candidate's, personnel manager, human resource*, payroll, superior*, chief, chiefs, management, boss's, subordinate, promotion*, dismissal*,
      salary, wage, wages, tips, rota, rosters, roster, warehouse, packer*, cleaner*, waiter*, handler*, seller*, courier*, salesperson*, typist*,
      nurse*, secretary, labour, labor, shift leader*, called in, sales agent*, agents wear, field staff, sales agents, regional head, ward
      management, ward manager*, waiting staff, per nurse, agents, shift supervisor*, personnel department*, personnel office*, interview room*,
      selection interview*, trial day, trial work, assembly worker*, line worker*, machine operators, lorry crews, ground staff, cabin staff,
      check-in staff, stewards, ushers, croupiers, dealers at, bar staff, kitchen staff, kitchen crew, maintenance crew*, night shift, day shift,
      early shift, late shift, sales floor, trading floor, newsroom, editorial staff, ward staff, the ward, surgeons, surgeon's, judges, police
      officers on duty, firefighters`),
  ],
  in_class: [
    ...AT_SCHOOL,
    ...words(
      `blackboard, whiteboard, trainee*, child by child, driving school*, flying school, music school, instructor*, nursery, preschool*, playgroup*,
        day nursery, pre-school*, campus, professor*, examiner*, online class*, webinar for students, coach, tuition, learning platform*, cadets,
        undergraduates, freshmen, dean, pupil's, pupils', student's, classes, schoolchild*, schoolgirl*, schoolboy*, headmaster*, headmistress*,
        head teacher*, headteacher*, faculty, dormitor*, boarding school*, language school*, ballet school*, conservatoire*, doctoral, phd, academy,
        academies, grammar school*, maths lesson, revision, term, exam hall, tutorial*, reading lesson*, edtech, mooc, moocs, distance learning,
        remote learning, distance teaching, virtual classroom*, toddlers' group, day care, daycare, crèche*, creche*, educator*, kids in, learner's,
        learners, language course*, evening class*, course participant*, participants of the course, trainees', vocational, curriculum, homework
        app, schoolroom*, gymnasium, sixth form*, sixth-form*, junior high, high school*, boarding, madrasa*, sunday school*, swimming lesson*,
        piano lesson*, tutor's`,
    ),
  ],
  no_feelings_of_theirs: [
    ...biometricConcepts.medical,
    ...plain.audience,
    ...words(
      `fatigue, sleepiness, drowsy, sleepy, falling asleep, fall asleep, microsleep*, customer on the line, customer's, customers', audience,
        moviegoers, cinema, market research, test persons, panelists, text of, in writing, written, survey, surveys, questionnaire*, proctor*,
        cheat*, incident report*, throughout the exam, during the exam, during exams, during an exam, game characters, players`,
    ),
  ],
  /** (g) */
  sacred: [
    ...plain.intimate_trait,
    ...words(`believer*, sex lives, gays, lesbians, homosexuals, trans, gender-queer, sexual preference*, sexual inclination*, sexual habits, faith,
      creed, denomination*, worship*, religious conviction*, political sympath*, political attitude*, political camp*, party preference*, party
      member*, probable party, union sympath*, union membership*, unionist*, organised labour, voting behaviour, voting intention*, votes for,
      supporter of .. party, opposition supporter*, dissident*, regime critic*, pro-government, anti-government, radical, racial origin, skin race,
      caste, islam*, jew, orthodox, evangelical, world view, worldview, nationalists, socialists, greens, anarchist*, sleeps with men, sleep with
      men, sleeps with women, sleep with women, attracted to, same sex, same-sex, same gender, own sex, far left, far right, hard left, hard right,
      left or right, right or left, left-leaning, right-leaning, conservative, liberal, social democrat*, progressive*, populist*, activist
      leaning*, party affiliation, party loyalt*, politics of, political, ideological, sympathis* with, sympathiz* with, works council supporter*,
      organised in a union, belongs to a union, union, unions, church member*, churchgoer*, mormon*, jehovah*, scientolog*, pagan*, agnostic*,
      religion, religions, god, sunni*, shia*, shiite*, alevi*, celibate, promiscu*, bedroom, sexual, sexually, black or white, white or black,
      aryan, semitic, negroid, caucasian, racial group*, racial, trade unionist*, unionist, unionised, listener's race, assumed religion, presumed
      religion, religious, religiosity, devout, piety, pious, secular, freethinker*, freemason*, monarchist*, separatist*, fascist*, marxist*,
      feminists, pro-life, pro-choice, pacifist*, party supporter*, supporters of, opponents of, adherent*, swinger*, fetish*, sexual desire*,
      sexual taste*, which party he, which party she, which party they, party he votes, party she votes, party they vote, whom he votes, whom she votes,
      prefers men, prefers women, loves men, loves women, is into men, is into women, desires men, desires women, religious background*, religious origin*,
      religious group*, sect, sects, mosque-goer*, mosque goer*, believing, unbeliever*, non-believer*, atheism, anti-vax*, union-friendly, pro-union,
      anti-union, union-minded, organised worker*, ethnic and racial, race column, skin race, zionis*, islamis*, hindus, sikhs, yazidi*, quaker*,
      baptist*, methodist*, lutheran*, anglican*, tory, tories, labour voter*, green voter*, afd, brexit*`),
  ],
  concluded: [
    ...plain.deduce,
    ...words(
      `output*, return, returns, betray*, tagged, tagging, writes, write, note, notes, noted, says, say, see, sees, show, shows, score, scores,
        scoring, probab*, likelihood, likely, mark, marks, divides, split*, calculat*, comput*, spot*, find, finds, pick*, filter*, flag*, whether,
        assess*, measur*, rates, concludes, conclude, computes, reports, report, records, enters, print*, announc*, display*, attribut*, attach*,
        add, adds, ascrib*, profile, profiles, profiling, claims to, recognis*, recogniz*, diagnos*, suspect*, deem*, name, names, list, lists,
        indicat*, suggest*, map, maps, extract*, learn*, know, knows, gives, give, yields, delivers, search*, separates, ranks, rank`,
    ),
  ],
  body_data: [
    ...plain.biometric_input,
    ...words(
      `selfies, photograph*, pictures of people, profile pictures, iris pattern*, irises, eye scan*, palm*, vein*, ear shape, bone structure, skull*,
        cheekbone*, jaw*, physiognom*, fingerprint*, handprint*, heartbeat*, walk of, way of walking, walking style, voiceprint*, intonation, body
        shape, body scan*, brain scan*, eeg, way .. walk, way they move, movements, eyes, eye, eyelids, pupils of, ear, ears, lips, nose, noses,
        hands, skin, hair, beard*, look of, looks, appearance, camera, cameras, webcam*, video*, glasses, cctv, speech, accent, calls, audio, tone
        of, timbre, pitch, heart rate, pulse, dna, blood, head shape, hand shape, handwriting pressure, typing rhythm, keystrokes, sweat, skin
        conductance, gaze, eye movements, gestures, posture, smile, laughter, breath, voices, vocal, listener's, silhouette*, clothes and face,
        headwear`,
    ),
  ],
  no_conclusion: words(
    `church photo*, artwork*, painting*, election poster*, text of, speeches are, transcri*, translat*, dub, dubs, dubbing, dubbed, generat*`,
  ),
  /** (h) */
  passing_live: [
    ...plain.live,
    ...words(`immediately, at the same moment, same moment, in the very moment, that very moment, moment, within seconds, in seconds, within a
      second, seconds later, instant, without delay, continuously, continuous*, constantly, permanent*, around the clock, all day, day and night,
      running feed, feed, feeds, stream, while driving, as they stroll, stroll*, walks through, walk through, walking, crosses, crossing, enters,
      pass, passes, passing, standing there, lamp-post*, lamp post*, street lamp*, bus station*, bus stop*, tram*, platforms, underground, subway,
      metro, trains, quay*, harbour, bridge*, pedestrian zone*, precinct, town centre, city centre, inner city, downtown, old town, market, markets,
      bazaar, christmas fair, fun fair, funfair, beach*, pool, stands, terraces, football match*, arena, gates, entrance*, parade, procession*,
      crowds, queue, queues, bystander*, everyone, everybody, hovers, hovering, drone*, body camera*, body-camera*, glasses, helmet*, patrol car*,
      on the beat, open air, at that moment, this moment, there and then, straight away, right away, promptly, as soon as, while it happens, while
      they, while people, minute by minute, second by second, round the clock, twenty-four hours, 24 hours, 24/7, patrols, on patrol, patrol,
      scooters, scooter, quayside, waterfront, seaside, arcade, arcades, shopping centre*, shopping center*, mall, church square, town hall square,
      playground*, park benches, campus, cinema foyer, airport road, motorway services, roadside, crossroads, alley*, lanes, open spaces, outdoors,
      embankment*, gatherings, gathering, assembly, assemblies, vigil*, pride, strike, strikes, picket*, sit-in*, concert-goers, fans, spectators,
      passengers, commuters, travellers, tourists, at a crowd, at the crowd, point their, point at, cathedral*, church*, forecourt*, pedestrian
      area*, main square, as they come, real time, real-time, participants of a demonstration, every participant, while marching, while
      demonstrating, control room, on their way, walk by, walk past, walking past, ride past, drive past, step out, steps out, getting on, getting
      off, boarding, at kick-off, during the match, during the concert, during the festival, during the rally, during the march, during the protest,
      during a protest, during a rally, during a march, as crowds, in the crowd, in crowds, on the bus, on buses, in buses, on trams, in trams, in
      trains, on trains, commuter, traveller, pedestrian, as he passes, as she passes, as he walks, as she walks, as it passes, escalator*, turnstile*,
      concourse*, station hall*, ticket hall*, ticket barrier*, weekend market*, fairground*, esplanade, riverbank, boardwalk, pier, food court*,
      taxi rank*, underpass*, overpass*, footbridge*, on the go, in passing, while still, still on the, before they leave, before he leaves, before
      they have left, before the next, in the metro, in the mall, in the park, at the market, in the market`),
  ],
  faces_there: [
    ...plain.likeness,
    ...words(`gaits, way of walking, who is standing, who is there, who crosses, who walks, who passes, who stands, who is in, who enters, identity
      card*, identity photo*, passport photo*, driving licence photo*, recognise people, recognises people, recognize people, recognise persons,
      recognises persons, recognises anyone, recognises everyone, recognise everyone, pedestrian*, marcher*, protester*, demonstrator*, bystander*,
      passers-by, people by, portraits, mug shots, mugshot*, person by person, biometric*, by name, names of, name of each, identif* .. people,
      identif* .. everyone, identif* .. pedestrians, identif* .. demonstrators, put a name to, puts a name to, name to everybody, name to everyone,
      faces, face, iris, irises, biometrically, biometric, gait, voices, walking style, walks of, body shape, who is who, who is among, who is
      present, who comes, who goes, who attends, who took part, which people, which persons, which pedestrians, which passers-by, which activists,
      which demonstrators, identities, identity of, identify everyone, identify everybody, identify people, identify persons, identified by,
      recognised by, recognized by, everyone in view, everybody in view, everyone's name, see names, sees names, see the names, names and, wanted,
      criminal records, every wanted, known thieves, known offenders, registered offenders, anyone in the, anybody in the, everyone who, everybody
      who, every participant, each participant, participants, every passer, each passer, each passenger, every passenger, every visitor, each
      visitor, every fan, each fan, every pedestrian, each pedestrian, every person, each person, remote biometric`),
  ],
  held_against: [
    ...plain.scan,
    ...words(
      `scanned, scan*, call* out, recognition, knows who, know who, know .. who, say who, says who, say which, says which, tell which, tells which,
        show the name*, shows the name*, show their record, names appear, name appears, register, registers, watch list*, list of, lists of,
        blacklist*, database*, photo collection*, police collection, mug shot*, alarm*, alert*, hit, hits, run through, runs through, run against,
        runs against, held against, filter*, pull* out, take them out, put a name to, puts a name to, put a name, reports, report, tells officers,
        tell officers, told who, told which, informs, inform, signals, signal, warns, beep*, buzz*, vibrat*, ping, pings, pushes, red frame,
        flagged, flag*, file of, files of, gallery of, records of, registry, archive of, identity, identities, identified, recognised, recognized,
        known activists, known offenders, repeat offenders, convicts, banned, fines, arrest*, follow, follows, track, tracks, tracking, tracked,
        locate*, by name, names of, name of, tells the, tell the, told about, tells the officers, send faces, sends faces, criminal record*, police
        record*, matched, matching, displayed, register of, identify, remote biometric identification, search for, searches for, seek, seeks, sought`,
    ),
  ],
  the_force: [
    ...POLICE,
    ...words(
      `security department of the city, city security, city guard*, town guard*, municipal guard*, order office, public order office, carabinieri,
        guardia, militia, interior ministry, ministry of the interior, security service*, secret service*, intelligence service*, state security,
        homeland security, special unit*, riot unit*, control room, operations room, command centre, command post, enforcement, policing, policem*,
        policew*, police's, detectives, sergeant*, inspectors, superintendent*, marshals, troopers, fbi, guards of the city, civil guard*, civil
        protection police, our force, the force, force's, forces of order, commissariat, commissioner, riot officers, plain-clothes, plainclothes, undercover, gendarmerie,
      constabulary, precinct officers, city police, state police, federal police, municipal police, mobile unit*, quick response, dispatch*, intercept*,
      customs police, transit police, transport police, railway police, port police, military police, prosecution, prosecutors,
        crime unit*, anti-crime, law-enforcement, enforcement agency, enforcement officer*, city enforcement, public safety, public security,
        security forces, forces of order`,
    ),
  ],
  /** Everybody in turn. */
  each_one:
    words(`who each, who every, whoever .. is, for each .. name, for every .. name, for each commuter, for every commuter, for each passer-by, for every
    passer-by, for each traveller, for each pedestrian, for each visitor, for each person, for every person, name of each, name of every, names of all,
    names of everyone, names of everybody, name of anyone, name of anybody, identity of each, identity of every, identity of anyone, identity of
    anybody, identity of everyone, identity of all, identities of all, identities of the, names each, names every, identifies each, identifies every,
    recognises each, recognises every, recognizes each, recognizes every, who they are, who he is, who she is, who is who, who it is, who that is, who
    anyone, who anybody, who everyone, who everybody, who all, each face, every face, every passer-by, each passer-by, every traveller, each traveller,
    every visitor's face, each visitor's face, everyone's identity, everybody's identity, everyone's name, everybody's name, each fan, every fan, each
    pedestrian, every pedestrian, each commuter, every commuter, each passenger, every passenger, match everyone, matches everyone, match everybody,
    matches everybody, compare everyone, compares everyone, compare everybody, compares everybody, checks everyone, checks everybody, all passers-by,
    all pedestrians, all visitors, all fans, all commuters, all travellers, all passengers`),
  register_of_all:
    words(`national register*, national .. register, register of residents, residents' register*, resident register*, population register*, civil
    register*, photo register*, photograph register*, id photo*, identity photo*, identity card photo*, identity card register*, id card register*, id
    card photo*, id database*, identity database*, identity register*, identity card*, passport file*, passport register*, passport database*, passport
    photo*, passport picture*, driving licence*, driver's licence*, driving license*, driver's license*, licence register*, mugshot*, mug shot*, wanted
    list*, watchlist*, watch list*, wanted person*, police database*, police photo*, police register*, police gallery, police collection, criminal
    register*, offender register*, register of offenders, arrest photo*, custody photo*, portrait file*, photo file*, citizen register*, register of
    citizens, voters' register*, electoral roll*, health card photo*, visa photo*, social media photo*, list of wanted, lists of wanted, list of
    offenders, list of suspects`),
  /** Of a face itself, and nobody who is only there. */
  face_itself: words(
    `face, faces, facial, gait, gaits, iris, biometric*, recognise people, recognises people, recognise persons, recognise everybody, recognise
      everyone, recognises everybody, recognises everyone, recognises anybody, recognises anyone, identify people, identify everyone, identifies
      people, identifies everyone, identifies everybody`,
  ),
  /** Where a face is looked at for something else. */
  no_name: words(
    `blur*, anonymis*, anonymiz*, pixel*, lie, lies, lying, credib*, emotion*, interrogat*, interview*, questioning, statement*, polygraph*, mask
      mandate*, age of, sex of, train officers, training officers, simulat*, drowsi*, no faces, faces are not, without faces, number of, how many,
      density`,
  ),
  not_live: [
    ...plain.elsewhere,
    ...words(`last month, last week, last year, yesterday, of the robbery, of a robbery, stored video, stored footage, from the archive, archive,
      recording of, recorded footage, past footage, hours later, next day, the day after, kidnap*, abduct*, hostage*, missing child*, missing
      person*, trafficking victim*, terror attack*, terrorist threat, terrorist attack, imminent, judicial authoris*, judge has, court order*, court
      has, authorised by a court, authorised by a judge, traveller's own, access control, own officers, own employees, staff entrance, station
      house, number plate*, licence plate*, counts people, counts how many, count people, headcount*, does not identify, vehicles`),
  ],
};

type Element = keyof typeof article5Elements | "guardian" | "objective" | "profile";

const rule = (
  point: string,
  about: string,
  needs: readonly Element[],
  unless: readonly Element[] = [],
  hints?: Element,
): LexiconRule<Element> => ({
  ...{ id: `art-5-${point}`, level: "PROHIBITED", provision: `Article 5(1)(${point})`, about, needs, unless },
  ...(hints === undefined ? {} : { hints }),
  ...{ date: "prohibitions", isShy: true },
});

export const article5ElementRules = [
  rule(
    "a",
    "steers people by what they do not notice, to their cost",
    ["below_notice", "steered", "cost"],
    ["guardian", "no_mind"],
  ),
  rule(
    "a",
    "tricks or wears people down, to their cost",
    ["trickery", "steered", "cost"],
    ["guardian", "objective"],
  ),
  rule(
    "b",
    "finds the weakness of the weak and uses it",
    ["weak", "weak_moment", "to_their_loss"],
    ["guardian", "no_loss"],
  ),
  rule(
    "c",
    "a life in figures, and what is refused for it",
    ["summed", "shut_out"],
    ["no_town"],
    "private_life",
  ),
  rule(
    "c",
    "years of a private life added up, and a loss that has nothing to do with them",
    ["summed", "lost_for_it"],
    ["no_town_at_all"],
    "private_conduct",
  ),
  rule(
    "d",
    "crimes foreseen from what somebody is",
    ["crimes", "foreseen", "nothing_else"],
    ["facts"],
    "who_one_is",
  ),
  rule(
    "d",
    "crimes foreseen, and what somebody is suffices",
    ["crimes", "foreseen", "nothing_else", "profile"],
    ["facts"],
  ),
  rule("d", "crimes foreseen from a face", ["crimes", "foreseen", "physiognomy"], ["facts"]),
  rule("d", "crimes foreseen from oddities", ["crimes", "foreseen"], ["facts"], "oddity"),
  rule(
    "e",
    "faces gathered wherever they are",
    ["gathered", "on_the_web", "portraits", "found_by_face", "indiscriminate"],
    ["allowed_faces"],
  ),
  rule("f", "feelings at work", ["felt", "told", "at_work", "read_from"], ["no_feelings_of_theirs"]),
  rule("f", "feelings in education", ["felt", "told", "in_class", "read_from"], ["no_feelings_of_theirs"]),
  rule(
    "g",
    "what is sacred to somebody, from his body",
    ["sacred", "concluded", "body_data"],
    ["no_conclusion"],
  ),
  rule(
    "h",
    "whoever passes is known to the police at once",
    ["passing_live", "faces_there", "held_against", "the_force"],
    ["not_live"],
  ),
  rule(
    "h",
    "everybody in turn, at once, by a register, for the police",
    ["each_one", "passing_live", "register_of_all", "the_force"],
    ["not_live", "no_name"],
  ),
  rule(
    "h",
    "faces in public, at once, for the police",
    ["passing_live", "face_itself", "the_force"],
    ["not_live", "no_name"],
  ),
];
