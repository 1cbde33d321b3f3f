/** Article 50: who talks to a machine, or sees what it made, is told so. */
import { type LexiconRule, words } from "./phrases.ts";

export const transparencyConcepts = {
  converse:
    words(`chatbot*, chat bot*, chat assistant*, chat agent*, voice assistant*, voice bot*, voicebot*, talking kiosk*, friendly voice who, voice who takes, voice that answers the phone, takes your table reservation*, takes your .. reservation, she's an ai,
      he's an ai, takes bookings on the phone, takes orders on the phone, phone assistant*, telephone assistant*, talking avatar*, virtual
      agent*, virtual assistant*, virtual receptionist*, virtual guide*, virtual concierge, virtual companion*, digital assistant*, digital
      concierge, ai assistant*, ai companion*, ai receptionist*, helpdesk bot*, help desk bot*, service bot*, support bot*, faq bot*,
      conversational*, talks to, talks with, talk to it, talk with it, chats with, chat with, chatting with, speaks with, speaks to, avatar which
      talks, avatar that talks, digital human*, phone bot*, telephone bot*, answers .. customers, answers callers, answers the phone, answers phone
      calls, answers calls, answers questions, answers .. questions, answers in plain, it answers, answer* visitors, answer* guests, answer* users,
      ask it anything, ask the assistant, ask our assistant, asks the assistant, ask our bot, ask the bot, replies to customers, replies to
      visitors, replies to messages, replies in, in natural language, in plain language, customer service bot*, companion, concierge, takes
      reservations, takes orders by phone, takes down orders, whatsapp bot*, telegram bot*, dialogue system*, dialog system*, robot receptionist*,
      social robot*, greets visitors, greets guests, interactive character*, answers .. question*, explains to, informs visitors, informs guests,
      informs callers, tells callers, tells visitors, tells citizens, tells guests, tells travellers, tells passengers, helps customers, helps
      visitors, self-service bot, self service bot, hr bot, info bot, bot that, bot which, bot on, voice interface, hotline bot, assistant on,
      assistant that answers, assistant which answers, interactive assistant, role-play partner, language partner, practice conversation*, virtual
      friend, girlfriend app, ai friend, chats about, small talk, messenger bot, sms bot, talking robot, telephone assistant*, phone assistant*,
      takes appointments, makes appointments, ai receptionist, answers patients, talks about, by talking with, talking with them, by talking, pen
      pal, phones customers, calls customers, phones patients, rings customers, reminds callers, avatar helps, talking assistant, talking machine,
      talking doll, talking guide, ask emma, ask anna, ask max, ask leo, speech assistant, spoken assistant, ask a bot, ask the chatbot, ask our,
      asks a bot, bot when, bot where, bot how, can ask, converse with, converses with, books your, phone assistant, answer questions, answers to
      questions, takes your order, takes bookings, historical figure, ask questions to, waiting on hold, virtual helper*, chat partner*, little
      helper, chats, bot explains, bots explain, bot tells, bot answers, bank's bot, shop's bot, bot helps, bot shows, assistant explains, assistant
      tells, assistant helps, help bot*, chat program*, advice bot*, talking computer*, talking terminal*, talking screen*, talking speaker*,
      talking head*, speaking computer*, computer voice*, computer that talks, computer which talks, machine that talks, machine which talks,
      telephonist*, telephone operator*, phone operator*, virtual operator*, robot operator*, automated operator*, automatic operator*, synthetic
      operator*, artificial operator*, telephone robot*, phone robot*, robot on the phone, robot on the line, automated voice*, artificial voice on
      the, voice computer*, voice menu*, voice robot*, dialogue partner*, dialog partner*, conversation partner*, conversational partner*, talking
      partner*, partner in conversation, interlocutor*, counterpart*, digital colleague at the counter, digital host*, digital butler*, digital
      porter*, virtual host*, virtual porter*, virtual hostess*, virtual clerk*, virtual salesp*, virtual adviser*, virtual advisor*, virtual
      librarian*, virtual waiter*, digital waiter*, robot waiter*, robot porter*, robot guide*, robot host*, robot concierge*, takes orders through,
      takes orders by, takes orders via, takes orders at, takes the orders, takes .. orders, discusses, discuss .. with, is answered by, are
      answered by, answered by a, answered by an, greets callers, greets customers, write to an automated, can write to, can chat, can talk, can
      speak, can text, texts back, writes back, answers back, writes with customers, replies by itself, chatterbot*, ai agent on, automated chat,
      automatic chat, chat window, chat robot*, drive-through, drive-in, intercom, speaks to callers, calls guests, phones guests, rings guests,
      speaks with callers, talks guests, ticket line`),
  compose:
    words(`generat*, compose, composes, composing, composed by, writes, writing, write, drafts, drafting, rewrites, clone, clones, cloning,
      synthesi*, paints, draws, renders, illustrat*, turns .. into, text-to-speech, text to speech, text-to-image, text-to-video, reads aloud,
      sings, puts the face, recreated by ai, recreates, dubs, dubbing, makes .. video*, makes .. picture*, makes .. song*, produces .. article*,
      produces .. video*, produces .. image*, produces .. picture*, produces .. text*, produces .. music, get a picture, get an image, deepfake*,
      deep fake*, swap* .. face, de-age*, animates, invents, creates, create, makes up, designs, produces captions, produces texts, produces images,
      appear to speak, voice synthesised, outputs images, outputs text, produces .. voice*, produces .. speech, synthetic, it writes, sketches into,
      photorealistic, congratulate, seems to, image editor, photo editor, text generator*, image generator*, video generator*, adds objects, makes
      music, makes songs, makes pictures, makes drawings, makes poems, produces music, replaces .. face, are written, is written, written in,
      written by, are produced, is produced, produced from, are generated, is generated, drawn by, are drawn, is drawn, painted by, turn your, turns
      your, turn product, turned into, into short clips, into clips, into videos, are composed, is composed, spoken by, computer-made, computer
      made, machine-made, computer-generated, machine-written, computer-drawn, made by a machine, made by a computer, speaks any, speaks every,
      speaks lines, speaks the, spoken by, sings the, voiced by, gives voice, gives a voice, lends .. voice, voice engine*, speech engine*,
      text-to-video, image-to-video, video-to-video, image to video, photo to video, photo-to-video, sketch-to-image, obtain a moving, moving
      picture from, brings .. to life, bring .. to life, fly-through*, imagin*, make-believe, dreams up, conjures, hallucinates, turns .. articles,
      turn .. into, turned into, becomes a, become a, restyles, restyle, restyled, recolours, airbrush*, retouch*, furnishes empty, virtual staging,
      stages empty, try-on, try on, written by a machine, written by a program, bot turns`),
  media:
    words(`text, texts, picture*, image*, photo*, video*, audio*, voice, voices, music, melod*, song*, speech, speeches, article*, blog*, post,
      posts, caption*, description*, product text*, copywriting, marketing copy, ad copy, slogan*, story, stories, fairy tale*, poem*, novel*,
      script*, presenter*, avatar*, illustration*, portrait*, painting*, poster*, logo*, style of, deepfake*, deep fake*, face, faces, podcast*,
      report, reports, summar*, newsletter*, press release*, e-mails, emails, letters, job adverts, jingle*, soundtrack*, voice-over*, narration,
      narrated, actor*, clip, clips, scene, animation*, cartoon*, presentation*, slides, quiz question*, exercise*, lullab*, ballad*, ringtones,
      lyrics, verse*, rhymes, headlines, copy, content, pitch deck*, menus, wallpaper*, icons, sprites, textures, 3d model*, floor plan*, job ads,
      advert*, ads, brochures, product image*, product picture*, lips and voice, likeness, letter, e-mail, email, horoscope*, sketch*, renderings,
      replies, briefing, characters, greeting*, congratulat*, column, columns, diary, biographies, obituar*, recipes, product copy, taglines, short
      clips, articles, dialogue, dialogues, lines, artificial voices, synthetic voice*, artificial voice*, computer voice*, voice-overs, announcer*,
      announcement*, fly-through*, film scene*, clip from, moving picture*, still, stills, mock-up*, mockup*, render, renders, flowers, sunset*,
      avatars, jingles, audiobook*, audio book*, talking picture*, animated, banner*, flyer*, leaflet*, catalogue text*, slogans, packshot*,
      backgrounds`),
  deep_fake:
    words(`deepfake*, deep fake*, swap* the face, face swap*, puts the face of, puts your face, looks real, look like real, looks like real, real
      footage, realistic speech*, realistic video*, realistic voice*, clones the voice, clone* .. voice, dead actor*, de-age*, digital double*,
      lip-sync*, face and voice recreated, never said, appear to speak, appear to say, appears to say, appears to speak, lips and voice, voice of a
      well-known, voice of a famous, likeness of, fake video*, fake footage, face of a celebrity, impersonat*, seems to congratulate, seems to say,
      seem to say, star seems, cloned voice, cloned voices, replaces an actress's face, replaces an actor's face, replaces .. face, face by another,
      another's face, exchanges .. face, exchanges faces, put .. face, face and voice of, face and voice onto, avatar studio*, studio for avatars,
      avatar generator*, synthetic presenter*, synthetic newsreader*, synthetic actor*, virtual presenter*, virtual newsreader*, stock presenter*,
      ai presenter*, digital presenter*, artificial presenter*, presenters who never, people who never existed, who do not exist, who does not
      exist, synchronised lips, synchronized lips, lips follow, moves the lips, moving the lips, look as if, looks as if, look as though, looks as
      though, sound as if, sounds as if, sounds as though, appear to praise, appears to praise, appear to sing, appears to sing, artificial
      newsreader*, newsreader*, recite*, in .. own voice, dead .. voice, speak again, sing again, late .. voice, news anchor*, puts .. face, cloned
      voice*, fake interview*, invented interview*, fake speech*, fabricated speech*, invents a fake, invents an interview, fabricated .. speech,
      indistinguishable from, true-looking, real-looking, lifelike, life-like, face replacement, voice cloning, voice replacement, never did, never
      gave, never happened, she never, he never`),
  /** Land that is measured and drawn is nobody's composition. */
  surveyed: words(
    `map is drawn, maps are drawn, draws a map, draws maps, is measured each, are measured each, hydrolog*, geolog*, cartograph*, surveyors, glaciolog*`,
  ),
  public_matter: words(
    `news article*, news about, articles about .. politics, public interest, newspaper*, published without, local politics, no editor, without an
      editor, editor reading, unreviewed, council decisions, council meetings, election result*, news portal*, news site*, bulletins, public
      notices, newsroom*, for our readers, readers of, crime figures, no longer employs an editor, nobody else looks, without a person checking,
      editorial responsibility`,
  ),
};

const rule = (
  paragraph: string,
  about: string,
  needs: readonly (keyof typeof transparencyConcepts)[],
  unless: readonly (keyof typeof transparencyConcepts)[] = [],
): LexiconRule<keyof typeof transparencyConcepts> => ({
  ...{ id: `art-50-${paragraph}`, level: "LIMITED", provision: `Article 50(${paragraph})` },
  ...{ date: "general", about, needs, unless },
});

export const transparencyRules = [
  rule("1", "interacts with people", ["converse"]),
  rule("2", "generates content", ["compose", "media"], ["surveyed"]),
  rule("4", "deep fakes", ["deep_fake"]),
  rule("4", "texts on matters of public interest", ["compose", "public_matter"]),
];
