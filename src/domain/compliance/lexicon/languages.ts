/**
 * The plainest words of Annex III in German, French, Spanish, Italian, Dutch, Polish, Portuguese, Swedish and Latvian. They suffice to call a system high-risk,
 * never to call one harmless: what else such a text says is not understood. Persons alone are no field: a candidate may be one of anything.
 */
import { annex3, type LexiconRule, words } from "./phrases.ts";

export const languageConcepts = {
  foreign_deed:
    words(`bewert*, beurteil*, sortier*, aussortier*, sichtet*, filtert*, entscheid*, schätzt*, ermittelt*, berechnet*, prüft, auswähl*, wählt*, erkenn*,
    benot*, vorhersag*, sagt voraus, schlägt vor, empfiehlt*, ordnet, weist, steuert*, regelt*, vergleich*, einstuf*, stuft, lehnt, bestimmt, legt
    fest, überwach*, évalue*, classe, classent, classer, trie, trient, notent, décide*, calcule*, estime*, prédi*, propose*, sélectionn*, filtre*,
    détect*, identifi*, reconna*, détermine*, attribue*, recommande*, refuse*, contrôle*, vérifi*, surveill*, evalúa*, clasific*, decide*, califica*,
    selecciona*, predice*, detecta*, propone*, rechaza*, asigna*, puntúa*, recomienda*, estima, controla*, vigila*, valuta*, classifica*, seleziona*,
    prevede, rileva*, assegna*, stabilisce, calcola*, beoordeel*, rangschik*, beslis*, selecteer*, voorspel*, herken*, bepaal*, berekent, controleert,
    wijst, ocenia*, klasyfik*, decyduje*, wybiera*, przewiduj*, oblicza*, odrzuca*, rozpoznaje*, avalia*, seleciona*, prevê, bedöm*, rangordn*,
    avgör*, beräkna*, vērtē*, nosaka*, iesaka*, atlasa*, aprēķina*, prognozē*`),
  foreign_hiring:
    words(`bewerbungen, bewerbungsunterlagen, lebenslauf*, lebensläufe*, vorstellungsgespräch*, stellenanzeige*, stellenausschreibung*, personalauswahl*,
    einstellungsverfahren, anschreiben, lettre* de motivation, embauche*, recrutement*, entretien* d'embauche, offre* d'emploi, currículum*,
    currículos, entrevista* de trabajo, contratación de personal, oferta* de empleo, selección de personal, colloqui* di lavoro, curriculum vitae,
    assunzion*, selezione del personale, sollicita*, vacature*, życiorys*, rekrutacj*, rozmow* kwalifikacyjn*, recrutamento, entrevista* de emprego,
    anställningsintervju*, rekrytering*, darbā pieņem*, pieņemt darbā, cv vērtē*`),
  foreign_work:
    words(`arbeitsleistung*, leistungsbewertung*, mitarbeiterbewertung*, kündigung*, beförderung*, schichtplan*, dienstplan*, performance des salariés,
    performances des salariés, productivité des employés, licenciement*, rendimiento de los empleados, rendimiento de los trabajadores, despido*,
    produttività dei dipendenti, licenziament*, werknemersprestaties, prestaties van werknemers, ontslag*, wydajność pracownik*, zwolnien*`),
  foreign_education:
    words(`schüler*, studienplatz*, studienplätze*, studienbewerb*, klausur*, abitur*, prüfungsarbeit*, schulnote*, hausarbeiten, hochschulzulassung*,
    aufsätze, élèves, étudiant*, copies d'examen, examen* scolaire*, baccalauréat*, dissertation des, parcoursup, lycée*, alumnos, estudiantes,
    exámenes, admisión a la universidad, studenti, alunni, esami, esame di, leerling*, examens, toelating*, uczni*, studentów, egzamin*, alunos,
    exames, elever, studenter, tentamen*, skolēn*, studentu, eksāmen*, uzņem*`),
  foreign_credit:
    words(`kreditwürdig*, bonität*, kreditantr*, verbraucherkredit*, kreditvergabe*, kreditausfall*, darlehen*, solvabilité*, crédit à la consommation, un
    crédit, demande* de crédit, demandes de prêt, octroi de crédit, octroi de prêt, solvencia*, préstamo*, crédito al consumo, concesión de crédito*,
    merito creditizio, affidabilità creditizia, mutuo, prestiti, kredietwaardig*, lening*, kredietaanvra*, zdolność kredytow*, kredyt*, pożyczk*,
    empréstimo*, kreditvärdig*, lån, kredīt*, aizdevum*`),
  foreign_benefit:
    words(`sozialleistung*, sozialhilfe*, arbeitslosengeld*, bürgergeld*, wohngeld*, kindergeld*, pflegegrad*, aides sociales, aide sociale, allocations
    familiales, allocation logement, allocation chômage, prestations sociales, chômage, ayudas sociales, prestaciones, subsidio de desempleo, sussid*,
    prestazioni sociali, reddito di cittadinanza, uitkering*, bijstand*, toeslag*, zasiłk*, świadczeni*, subsídio*, bidrag, försäkringskassan,
    pabalst*`),
  foreign_insurance:
    words(`lebensversicherung*, krankenversicherung*, assurance vie, assurance-vie, assurance santé, assurance maladie, seguro de vida, seguro de salud,
    assicurazione sulla vita, assicurazione sanitaria, levensverzekering*, zorgverzekering*, ubezpieczeni* na życie, ubezpieczeni* zdrowotn*, seguro
    de saúde, livförsäkring*, dzīvības apdrošinā*, veselības apdrošinā*`),
  foreign_emergency:
    words(`notruf*, rettungsleitstelle*, rettungswagen*, notaufnahme*, appels d'urgence, appel d'urgence, urgences, samu, llamadas de emergencia, urgencias,
    chiamate di emergenza, pronto soccorso, noodoproep*, spoedeisende hulp, alarmcentrale*, zgłoszeni* alarmow*, pogotowi*, nödsamtal*, neatliek*`),
  foreign_police:
    words(`polizei*, ermittler*, staatsanwalt*, straftäter*, straftat*, rückfallrisiko, verdächtige*, tatverdächtig*, police judiciaire, enquêteurs,
    récidive*, procureur*, policía*, delincuen*, fiscalía, reincidencia, polizia, indagat*, recidiva, politie*, verdachte*, recidive, policj*,
    przestęp*, prokurat*, polícia, polisen, brottsling*, policij*, noziedz*`),
  foreign_migration:
    words(`asylantr*, asylbewerber*, visumantr*, visumsantr*, aufenthaltstitel*, aufenthaltserlaubnis*, grenzkontroll*, grenzschutz*, demandeurs d'asile,
    demande* d'asile, demandes de visa, titre de séjour, titres de séjour, contrôle* aux frontières, solicitantes de asilo, solicitudes de asilo,
    solicitudes de visado, visados, permiso de residencia, richiedenti asilo, domande di asilo, permess* di soggiorno, asielzoeker*, asielaanvra*,
    verblijfsvergunning*, azyl*, wiz, pedidos de asilo, asylsökande*, uppehållstillstånd*, patvērum*, vīzu, vīzas`),
  foreign_court:
    words(`richter, richtern, richterin*, gerichtsurteil*, urteilsvorschl*, urteilsentw*, amtsgericht*, landgericht*, schiedsgericht*, juges, le juge,
    tribunaux, jugements, sentencia*, jueces, tribunales, giudic*, sentenze, rechter, rechters, rechtbank*, vonnis*, sędzi*, wyrok*, juízes, domare,
    domstol*, tiesnes*, spriedum*`),
  foreign_vote:
    words(`wähler*, wahlverhalten, volksabstimmung*, électeur*, comportement électoral, référendum, votantes, elecciones, elettor*, kiezer*, stemgedrag,
    wyborc*, eleitor*, väljare*, vēlētāj*`),
  foreign_grid:
    words(`stromnetz*, gasnetz*, wassernetz*, trinkwasser*, fernwärme*, verkehrsampel*, ampelsteuerung*, ampeln, lichtsignalanlage*, réseau électrique,
    réseau d'eau, réseau de gaz, eau potable, feux de circulation, feux tricolores, red eléctrica, agua potable, semáforos, rete elettrica, acqua
    potabile, semafori, elektriciteitsnet*, stroomnet*, drinkwater*, verkeerslicht*, sieć energetyczn*, sieci energetyczn*, wod* pitn*, sygnalizacj*
    świetln*, elnätet, dricksvatten, elektrotīkl*, dzeram* ūden*, luksofor*`),
  foreign_face:
    words(`gesichtserkennung*, reconnaissance faciale, reconocimiento facial, riconoscimento facciale, gezichtsherkenning*, rozpoznawani* twarzy,
    reconhecimento facial, ansiktsigenkänning*, sejas atpazīšan*, seju atpazīšan*`),
  foreign_feeling:
    words(`gesichtsausdruck*, gesichtsausdrück*, emotionen, gefühle, gestresst*, wütend*, stimmung*, émotions, humeur, expressions faciales, emociones,
    estado de ánimo, emozioni, emoties, emocj*, emoções, känslor, emocij*`),
  foreign_at_work:
    words(`mitarbeiter*, beschäftigte*, arbeitnehmer*, angestellte*, belegschaft, arbeitsplatz*, salariés, employés, au travail, empleados, trabajadores,
    dipendenti, lavoratori, werknemers, medewerkers, pracownik*, funcionários, trabalhadores, anställda, darbiniek*, schüler*, élèves, alumnos,
    alunni, leerlingen, uczni*, skolēn*`),
};

const rule = annex3<keyof typeof languageConcepts>;

export const languageRules: readonly LexiconRule<keyof typeof languageConcepts>[] = [
  {
    ...{ id: "art-5-f", level: "PROHIBITED", provision: "Article 5(1)(f)", date: "prohibitions" },
    about: "emotions at work or in education",
    needs: ["foreign_feeling", "foreign_at_work", "foreign_deed"],
  },
  rule("1(a)", "remote biometric identification", ["foreign_face"]),
  rule("2", "safety of critical infrastructure", ["foreign_grid", "foreign_deed"]),
  rule("3", "education", ["foreign_education", "foreign_deed"]),
  rule("4(a)", "recruitment", ["foreign_hiring", "foreign_deed"]),
  rule("4(b)", "management of workers", ["foreign_work", "foreign_deed"]),
  rule("5(a)", "public benefits and services", ["foreign_benefit", "foreign_deed"]),
  rule("5(b)", "creditworthiness", ["foreign_credit", "foreign_deed"]),
  rule("5(c)", "life and health insurance", ["foreign_insurance", "foreign_deed"]),
  rule("5(d)", "emergency calls and triage", ["foreign_emergency", "foreign_deed"]),
  rule("6", "law enforcement", ["foreign_police", "foreign_deed"]),
  rule("7", "migration, asylum and borders", ["foreign_migration", "foreign_deed"]),
  rule("8(a)", "administration of justice", ["foreign_court", "foreign_deed"]),
  rule("8(b)", "elections", ["foreign_vote", "foreign_deed"]),
];
