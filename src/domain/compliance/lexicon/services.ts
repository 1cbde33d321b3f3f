/** Annex III, point 5: public benefits and services, credit, life and health insurance, emergency calls. */
import { annex3, DEEDS, IN_PLAIN_WORDS, JUDGING, words } from "./phrases.ts";

export const serviceConcepts = {
  /** Benefits by names that nothing else has. */
  benefit:
    words(`welfare, social security, social insurance office*, unemployment, unemployed, jobless, job centre*, job center*, social assistance, social
      aid, social benefit*, social service*, social work*, social support, social care, social hous*, social flat*, public hous*, council hous*,
      council flat*, housing benefit*, housing support, housing allowance*, housing association*, housing list*, municipal flat*, municipal housing,
      rent subsid*, child benefit*, family benefit*, disability benefit*, disability allowance*, disability pension*, sickness benefit*, sick pay,
      parental allowance*, parental leave pay, maternity benefit*, maternity pay, care allowance*, childcare allowance*, childcare subsid*,
      childcare benefit*, allowance*, public assistance, state pension*, old-age pension*, pension claim*, pension application*, child support,
      benefit claim*, benefit claimant*, benefit payment*, benefit application*, benefit fraud, benefit office*, benefits office*, benefits agenc*,
      benefits case*, benefits recipient*, benefit recipient*, state benefit*, public benefit*, cash benefit*, claimant*, means test*, means-test*,
      minimum income, basic income, income support, citizen's income, hardship fund*, hardship payment*, food stamp*, food voucher*, food bank*,
      heating subsid*, energy subsid*, fuel voucher*, legal aid, student grant*, mobility grant*, integration assistance, long-term care, care
      level*, degree of care, grade of care, need of care, care need*, home care, home help, healthcare service*, health care service*, public
      healthcare, entitlement to .. care, medicaid, public service*, essential public, public support, homeless*, shelter place*, child protection,
      child welfare, youth welfare, foster*, at-risk families, farm subsid*, subsidy claim*, government assistance, state aid to famil*, family
      allowance*, asylum seeker benefit*, veterans' benefit*, disabled person*, severely disabled, state pays, waiting list for .. surger*, waiting
      list for .. operation*, organ transplant*, emergency cash, cash support, cash assistance, cash transfer*, cash aid, health coverage, public
      health insurance, statutory health insurance, universal credit, housing aid, housing assistance, rent support, rent assistance, rental
      subsid*, affordable housing, subsidised flat*, subsidized flat*, subsidised hous*, subsidized hous*, disability support, disability
      assessment*, disability claim*, invalidity pension*, invalidity benefit*, incapacity, attendance allowance, personal independence payment,
      widow's pension*, orphan's pension*, pension entitlement*, retirement benefit*, survivor's benefit*, jobseeker's allowance, jobseekers'
      allowance, employment office, employment service*, public employment service*, labour office*, labor office*, workfare, poor relief, poverty
      relief, relief fund*, aid recipient*, aid application*, aid claim*, support payment*, transfer payment*, state support, state subsid*, state
      help, state allowance*, government support, government benefit*, government grant*, government subsid*, public funds for famil*, winter fuel,
      energy relief, childcare place subsid*, school meal*, free meal*, baby bonus, birth grant*, maternity grant*, parental benefit*, single
      parents, single mothers, low-income, low income, needy famil*, vulnerable famil*, families in need, home-help, hours of home, domestic help
      hours, nursing care grade*, nursing care insurance, long-term-care, wheelchair grant*, rehabilitation measures, special needs support,
      integration aid, social protection, social insurance, social fund*, social welfare, social housing, social tariff*, social register*, benefits
      fraud, municipal benefit*, municipal assistance, rough sleeper*, night shelter*, refuge place*, women's shelter*, asylum benefits, child
      removal, children in care, child at risk, children at risk, child abuse risk, neglect risk, surgery waiting list, waiting list* for treatment,
      access to healthcare, access to health care, access to treatment, medical assistance eligibility, eligibility for health, eligibility for
      public, carer twice, a carer, roof over their heads, granny, care grade*, care degree*, the aged, aged people, help for the aged, nursing
      grade*, level of care, care package*, care budget*, personal budget*, social budget, emergency hardship, hardship payments, reduced tariff for
      poor, free travel pass*, disability pass*, disabled parking permit*, disability card*, disability degree, degree of disability, blind
      allowance, carer's allowance, carers allowance, adoption, adoptive parents, custody by the youth, guardianship, family court help, help for
      families, help for parents, help for children, family support, early help, at-risk child*, at risk children, troubled families, refugee
      benefits, food parcel*, clothing voucher*, school start money, school allowance, student aid, student support fund, training grant*,
      apprenticeship grant*, retraining, upskilling voucher*, short-time work*, furlough pay, insolvency pay, jobseeking, people out of work,
      out-of-work, long-term unemployed, dole, on the dole, minimum pension, basic pension, pension office, pension fund claim*, early retirement
      claim*, accident insurance fund, statutory accident, industrial injury, workers' compensation, veterans, war widow*, victims' compensation,
      crime victims fund, legal-aid, debt relief, rent rebate, council tax support, council tax reduction, energy allowance, utility assistance,
      electricity assistance, water bill assistance, health card*, free prescriptions, prescription exemption, medical aid, access to medicine,
      access to surgery, surgery list*, transplant list*, organ allocation, ivf funding, therapy places, rehab place*, nursing home place*, care
      home place*, shelter beds, emergency accommodation, temporary accommodation, municipal apartment*, public apartment*, public flat*, social
      apartment*, subsidised apartment*, rent-controlled, housing office, housing register, housing waiting list, allotment of flats, refugee
      housing, need for care, needs for care, subsistence payment*, minimum subsistence, minimum-subsistence, subsistence level, basic income,
      heating subsidy, heating aid, poor families`),
  grant: [...DEEDS, ...IN_PLAIN_WORDS].concat(
    words(`reduc*, reclaim*, claimed back, claim* back, cut, cuts, overpa*, pay out*, paid out, payout*, fraud*, abuse of, claimed too much, unduly,
    undeserv*, needs, need, how many hours, how much, sanction*, terminate*, continu*, remain*, recover*, letters of denial, receive*, get*, first
    served, order, next, deserv*, genuine need, hours a, how long, reassess*, recalculat*, correctness`),
  ),
  bare_benefit:
    words(`benefit, benefits, subsidies, subsidy, pension, pensions, grants, payments to citizens, aid payments, assistance, entitlements, care hours,
    support payments, vouchers, relief payments, municipality's aid`),
  payment:
    words(`cut, cuts, stopped, reclaim*, recover*, overpaid, overpayment*, entitle*, eligib*, claims, claim, claimed, recipient*, applicants, applications,
    apply for, withdraw*, fraud*, revok*, caseworker*, means, receive, receives, qualif*, cut*, reduc*, stopping, suspend*, live with, undeclared,
    unreported, overclaim*`),
  public_office:
    words(`municipal*, state, government*, public authorit*, authority, authorities, local council*, city council*, council, town hall*, ministry,
    ministries, agency, agencies, citizens, citizen, residents, parents, households, famil*, poor, needy, in need, disabled, elderly, old person, old
    people, caseworker*, social, people, persons, partner, claimants, single, jobless`),
  credit:
    words(`creditworth*, credit, credits, solvency, repay*, pay back, pays back, paid back, loan*, mortgage*, lend, lends, lender*, lending, lent, borrow*,
    buy-now-pay-later, bnpl, pay later, instalment*, installment*, overdraft*, limit of the card, card limit*, financing, car finance, lease, leasing,
    default, defaults, probability of default, affordab*, open banking, account movement*, account statement*, bank statement*, debt*, indebted*, bad
    payer*, payment moral*, payment behaviour*, microcredit*, microloan*, microfinanc*, payday, pawn*`),
  lend: IN_PLAIN_WORDS.concat(
    words(`scor*, likel*, assess*, evaluat*, decid*, decision*, approv*, predict*, set, sets, rate, rates, rated, work* out, calculat*, default*, reject*,
    refus*, declin*, grant*, estimat*, determin*, how much .. borrow, whether, number from, rank*, classif*, probability, limit of, accept*, chance*,
    judg*, compute*, derive*, turn* down, offer*, risk*, check, checks, screens, screening, vet, vets, vetting, limits, analys*, analyz*, infer*,
    gaug*, recommend*`),
  ),
  /** A loan, whoever takes it, unless it is a company. */
  private_credit:
    words(`personal loan*, natural person*, individual*, consumer*, household*, homebuyer*, home buyer*, tenants, students, retail customer*, retail
    borrower*, someone, somebody, citizens, families, private, applicant*, person, people, borrower*, client*, customer*, shopper*, buyer*, young
    people`),
  creditworthy:
    words(`creditworth*, credit worth*, credit score*, credit scoring, scores credit, credit decision*, credit application*, loan application*, mortgage
    application*, loan applicant*, loan approval*, loan decision*, loan default*, loan officer*, default on, consumer loan*, consumer credit, personal
    loan*, probability of default, ability to repay, ability to pay, solvency of, overdraft*, instalment plan*, installment plan*, buy now pay later,
    buy-now-pay-later, pay later, pay-later, credit file*, credit bureau*, credit rating*, credit history, credit histories, credit line*, credit
    limit*, credit risk, credit request*, credit approval*, credit refusal*, credit granting, credit assessment*, credit check*, credit card
    application*, mortgage approval*, mortgage decision*, mortgage lending, mortgage applicant*, home loan*, student loan*, car loan*, payday loan*,
    microloan*, micro-loan*, microcredit*, cash loan*, instant loan*, small loan*, loan request*, loan offer*, lending decision*, lending risk,
    lending app, lending platform*, lend to, lends to, whom to lend, borrower*, borrowing capacity, payment default*, default risk*, risk of default,
    will default, defaults, repay, repays, repaid, repayment*, pay back, pays back, paid back, paying back, rent payment reliability, rent arrears,
    payment reliability, payment index, ability of .. to pay, financial reliability, financial trustworthiness, financial standing, over-indebt*,
    private insolvenc*, personal bankruptc*, debt ratio, debt capacity, affordability, debt-to-income, open banking data, house loan*, house purchase
    loan*, on credit, motorbike on credit, buy on credit, bought on credit, phone-based score, credit for people, credit to people, get credit, gets
    credit, getting credit, denied credit, deny credit, loan to a person, small-business owner .. loan, pay-day, salary advance*, wage advance*,
    rent-to-own, lease a car, car lease*, leasing applicant*, hire purchase, instalment purchase*, instalment credit, instalments, in instalments,
    thirty days to pay, pay in thirty days, pay in three, pay in four, split payment*, deferred payment*, postpaid contract*, dunning risk, arrears,
    payment delay*, late payer*, slow payer*, good payer*, bad payer*, payment discipline, willingness to pay back, able to repay, unable to repay,
    will repay, would repay, can afford the loan, afford a loan, loan size, loan amount*, maximum loan, loan limit*, credit amount, credit union
    member*, microlending, p2p lending, peer-to-peer lending, crowdlending, debt advice .. score, tenant credit, tenant scoring, tenant score*, tenant
    screening, renter score*, rental score*, renters' reliability`),
  private_person: words(
    `private customer*, private person*, private individual*, natural person*, individuals, consumer*, household*, private borrower*`,
  ),
  business:
    words(`corporate, companies' loan*, business loan*, business customer*, loans to companies, loans to firms, loans to businesses, corporates,
    counterpart*, smes, sme, enterprises, firm's credit, suppliers, supplier, bonds, sovereign, carbon credit*, photo credit*, course credit*, tax
    credit*, energy credit*`),
  card_fraud:
    words(`card fraud, fraudulent transaction*, fraudulent payment*, payment fraud, transaction fraud, stolen card*, fraudulent card*, money launder*,
    detects fraud, fraud detection, phishing`),
  /** Uses by their names, which need no deed. */
  service_use:
    words(`credit scoring of, consumer credit scoring, consumer credit risk, personal credit score, loan underwriting, mortgage underwriting, loan
    eligibility, benefit eligibility, benefits eligibility, eligibility for benefits, welfare eligibility, welfare fraud detection, benefit fraud
    detection, benefits fraud detection, life insurance pricing, health insurance pricing, life insurance underwriting, health insurance underwriting,
    life underwriting, health underwriting, emergency call triage, emergency triage, emergency dispatch, ambulance dispatch, ambulance prioritisation,
    patient prioritisation in emergenc*, social housing allocation`),
  weighed: JUDGING,
  /** Words of money that is lent. Two of them, and somebody judged, are about credit. */
  credit_hint:
    words(`bank, banks, credit, loan*, account*, borrow*, mortgage*, arrears, instalment*, installment*, checkout, payment past, payment history, spending,
    income, rent, debt*, owe, owes, owed, pays, payback, repay*, lender*, lend, overdraft*, solvent, insolven*, default*, salary account, pay later,
    on invoice, buy now, invoice later, deferred payment, financing, car loan, phone contract, telecom contract, subsidised phone, deposit, landlord*,
    tenant*, savings, payday, cash advance, interest, collateral, guarantor, utility bills, late payment*, dunning, bankrupt*, thin file, bureau, cash
    flow, lends, lent, repaid, thirty days, customers pay, lets customers pay, pay in`),
  /** Money that is not lent to people. */
  other_money:
    words(`trading, traders, stock*, shares, bonds, swap*, portfolio*, invoice*, bookkeep*, ledger*, price of, prices of, companies, company, corporate,
    suppliers, fraud*, phishing, launder*, exchange rate*, foot traffic, weather app, bicycles, library, libraries, nearest`),
  /** Words of public help. Two of them, and somebody judged, are about benefits. */
  help_hint:
    words(`municipality, municipal, town hall, youth office, social office, needy, poor, poverty, tenants, citizens, residents, disab*, sick pay, really ill,
    into care, daycare spots, housing, voucher*, claimants, benefit*, pension*, allowance*, deserving*, hardship, low-income, unemployed, jobless,
    homeless, shelter, caseworker*, case worker*, social worker*, welfare, entitle*, eligib*, subsid*, insurance fund, waiting list, labour office,
    out of work, job-seeker, council, what help, decides on requests, parental, maternity, childcare, elderly, old people, nursing home, nursing care,
    hours of help, widow*, single parent*, refugees, emergency aid, social worker, child protection, foster, neglect, abuse of children, dependants,
    dependents, carers, blind, deaf, wheelchair*, therapy, rehab*, transplant*, surgery, vaccine*, hospital bed*, health service, school meals, free
    meals, heating allowance, tax office, tax credit, overpayment*`),
  /** Public matters in which nobody is helped. */
  public_matter_only:
    words(`garbage, waste, recycling, street lamp*, potholes, parking, snow, cleaning, museum, theatre*, sports hall*, election results, statistics,
    weather, tourists, libraries, library, toner, trees, parks, playgrounds, archive, shelves, bicycles, news portal*, news site*, newspaper*,
    editor, editors, council decisions, council meetings, local news`),
  website: words(
    `website, web site, chatbot*, which documents, fill in, opening hours, brochure*, leaflet*, nearest`,
  ),
  insure:
    words(`insur*, assurance, reinsur*, underwrit*, policy, policies, policyholder*, cover, premium*, actuar*, sick fund*, health fund*, health plan*,
    medical scheme*, life cover, medical plan*, life cover*, health cover*, life policies, annuit*, bancassurance, risk surcharge*, private medical,
    pay for life, assured lives, life office*, mutual society`),
  life_or_health:
    words(`life, lives, health, healthy, medical, mortality, die, death, illness*, sickness, disease*, dental, hospital cash, disability, critical illness,
    term life, whole life, wearable*, fitness tracker*, smok*, prescription*, body mass, bmi, genetic*, pre-existing, surviv*, occupational
    disability, long-term care insurance, life-insur*, lifestyle, sleep data, step count*, steps, heart rate, diabetes, cancer, family history,
    lifespan, longevity, sick, doctor visits, accident and health, funeral cover, burial, final expense, live long, will live, long .. customer will
    live, live in order, longer lives, diabetic*, heart patients, non-smokers, obese, pregnan*, disabled life, invalidity, incapacity, care insurance,
    hospital cover, travel health, pet health no`),
  price:
    words(`pric*, premium*, risk*, calculat*, comput*, assess*, underwrit*, quote*, tariff*, decid*, set, sets, contribution*, surcharge*, evaluat*,
    estimat*, determin*, adjust*, classif*, rate, rates, rating, score*, scoring, predict*, refus*, reject*, accept*, declin*, discount*, dearer,
    cheaper, how much, likel*, probab*, exclud*, eligib*, personalis*, personaliz*, work* out, group*, tier*, monthly, at what rate, terms,
    conditions, loading, loadings, coverage, covered, cover, insurable, must undergo, bonus-malus, individualis*, individualiz*, fee, fees, cost,
    costs, charged, quotation*, pay, pays, should pay, charge, charges, how much .. pay, dearest, cheapest, bracket*, class of risk, points for
    healthy`),
  emergency:
    words(`112, 911, 999, 000 call*, 110, emergency call*, emergency number*, emergency service*, emergency dispatch*, emergency control*, emergency medical,
    emergency response*, emergency operator*, emergency line*, emergency hotline*, distress call*, emergency patient*, emergency room*, emergency
    department*, emergency ward*, emergency admission*, emergency care, emergency unit*, emergency clinic*, emergency physician*, ambulance*, first
    responder*, first aid, rescue service*, rescue team*, rescue helicopter*, rescue coordination, fire brigade*, fire department*, fire service*,
    fire engine*, firefighter*, paramedic*, a&e, casualty department*, casualties, mass casualty, medevac, lifeboat*, sea rescue, mountain rescue,
    coast guard rescue, emergency call centre*, emergency call center*, emergency caller*, emergency situation*, emergency intervention*, emergency
    vehicle*, emergency crew*, emergency unit, emergency triage, emergency doctor*, emergency nurse*, emergency medicine, emergency patient, emergency
    cases, emergency hospital, incoming patients, arriving patients, manchester category, manchester triage, triage desk, dispatchers, dispatch
    centre*, dispatch center*, dispatch desk, control centre for rescue, rescue coordinator*, rescue mission*, rescue call*, rescue crew*, rescue
    order, rescue control, medical emergenc*, cardiac arrest, patient transport, air ambulance, disaster response, disaster victim*, earthquake
    victim*, evacuat*, blue light, crisis call*, suicide hotline*, poison centre*, poison control, trapped people, fire engines, engines go, where
    engines, ring the fire brigade, rings the fire brigade, ring 112, call 112, dial 112, dialled 112, emergency queue, emergency waiting, waiting
    emergency, urgent care, acute ward, acute care, trauma centre*, trauma center*, trauma patient*, stroke patient*, heart attack*, cardiac arrest*,
    helicopter rescue, rescuers, rescue helicopters, avalanche victims, drowning, lifeguard*, missing hikers, civil protection, flood victims,
    mass-casualty, field hospital, patients on stretchers, emergency surger*, first come, first to be treated, psychiatric emergenc*, crisis line*`),
  triage:
    words(`triag*, dispatch*, prioriti*, priority, rank*, decid*, evaluat*, classif*, send, sends, sent, goes first, order of severity, order of urgency, in
    order of, sort*, which, urgen*, severity, severe, serious*, critical, how bad, life-threatening, route*, categor*, assign*, allocat*, assess*,
    determin*, score*, estimat*, seen first, treated first, most urgent, deteriorat*, filter*, recogni*, detect*, listen*, predict*, judg*,
    recommend*, suggest*, first, most serious, help first, marks those, suspected, whom to help, who is helped, order in which, seconds count,
    escalat*, next available, nearest, level of, symptoms, puts them into, put into, one of five, colour, colours, five levels, where engines, go
    first, who is seen, see first, seen next, treated next, next patient, most critical, wait longest, waits, code, acuity, dangerous, life or death,
    minutes to arrive, how many engines, weighs`),
  /** What is counted or kept of an emergency service, and nobody is helped. */
  depot: words(
    `for budgeting, number of emergency calls, washed, refuelled, fuel consumption, spare part*, uniforms`,
  ),
  triage_alone:
    words(`patient triage, triage of patient*, triages patients, triage nurse*, triage level*, triage category, triage categories, triage system for,
    healthcare triage, medical triage`),
};

const rule = annex3<keyof typeof serviceConcepts | "decided">;

export const serviceRules = [
  rule("5(a)", "public benefits and services", ["benefit", "grant"]),
  rule("5(a)", "public benefits and services", ["bare_benefit", "payment", "public_office", "grant"]),
  rule("5(b)", "creditworthiness", ["credit", "lend", "private_credit"], ["business", "card_fraud"]),
  rule("5(b)", "creditworthiness", ["creditworthy"], ["business", "card_fraud"]),
  rule("5(b)", "creditworthiness", ["creditworthy", "private_person"]),
  rule("5(b)", "creditworthiness", ["weighed"], ["other_money"], "credit_hint"),
  rule("5(a)", "public benefits and services", ["weighed"], ["public_matter_only"], "help_hint"),
  rule("5(a)", "public benefits and services", ["decided"], ["public_matter_only", "website"], "benefit"),
  rule(
    "5(b)",
    "creditworthiness",
    ["decided"],
    ["business", "card_fraud", "website", "other_money"],
    "creditworthy",
  ),
  rule("5(c)", "life and health insurance", ["insure", "life_or_health", "price"]),
  rule("5(d)", "emergency calls and triage", ["emergency", "triage"], ["depot"]),
  rule("5(d)", "emergency calls and triage", ["triage_alone"]),
  rule("5", "essential services", ["service_use"], ["depot", "website"]),
];
