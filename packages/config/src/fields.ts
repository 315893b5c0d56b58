import { isInstallation } from '@rungar/labels';
import { field } from '@rungar/model';
import { checkTimeZone } from './time-zone.js';
import { DAYS_PATTERN, parseDays } from './weekdays.js';

const NO_CONTROL = /^\P{Cc}*$/u;
const SOCKET_BYTES = 103;

/** `github` (docs/reference/configuration.md has every table below in words). */
export const GITHUB_FIELDS = {
  url: field.text({
    describe: 'the organisation, repository or enterprise to serve, as https://github.com/my-org',
    rule: 'https://HOST/ORGANISATION, https://HOST/OWNER/REPOSITORY or https://HOST/enterprises/ENTERPRISE',
    required: true,
  }),
  app_client_id: field.text({ describe: "the GitHub App's client ID", rule: 'set with an App' }),
  app_installation_id: field.integer({
    describe: "the number of the App's installation",
    rule: 'set with an App',
    zeroIsUnset: true,
    min: 1,
  }),
  app_private_key: field.text({
    describe: "the App's private key in PEM",
    rule: 'set with an App, or app_private_key_path',
    secret: true,
  }),
  app_private_key_path: field.text({
    describe: "a file with the App's private key in PEM",
    rule: 'set with an App, or app_private_key',
  }),
  token: field.text({
    describe: 'a personal access token, instead of an App',
    rule: 'set without an App, or token_path',
    secret: true,
  }),
  token_path: field.text({
    describe: 'a file with the personal access token',
    rule: 'set without an App, or token',
  }),
} as const;

/** The keys every `providers[]` entry has; the rest belong to its type. */
export const PROVIDER_FIELDS = {
  name: field.text({ describe: 'what scale sets call it', rule: 'another for each provider', required: true }),
  type: field.text({ describe: 'the kind of backend', required: true }),
  weight: field.number({
    describe: 'its share of the runners that are spread, beside the weights of others',
    rule: 'more than 0, and not infinite',
    default: 1,
    zeroIsUnset: true,
    check: (weight) => (weight > 0 && Number.isFinite(weight) ? undefined : 'must be more than 0, and not infinite'),
  }),
  max_runners: field.integer({ describe: 'the most runners it may hold; 0 is no limit', default: 0, min: 0 }),
  disabled: field.boolean({ describe: 'whether it gets no new runners', default: false }),
  runner: field.any({ describe: 'what every runner on it has, unless a scale set says otherwise' }),
} as const;

export const WINDOW_FIELDS = {
  days: field.list(
    field.parsedText({
      describe: 'a day, or a first and a last one',
      rule: 'mon, tue, wed, thu, fri, sat or sun, or two of them as in mon-fri',
      pattern: DAYS_PATTERN,
      want: 'must be a day like mon, or days like mon-fri',
      parse: parseDays,
      hint: (source) => (source.includes(',') ? 'write a list: [mon, wed]' : undefined),
    }),
    { describe: 'the days it opens on', required: true, alsoOne: true },
  ),
  from: field.timeOfDay({
    describe: 'when it opens',
    rule: 'before 24:00',
    check: (minutes) => (minutes === 24 * 60 ? 'must be before 24:00' : undefined),
  }),
  to: field.timeOfDay({
    describe: 'when it closes; on the next day if that is before it opens',
    rule: 'another time than from',
  }),
  min_runners: field.integer({
    describe: 'the idle runners to keep meanwhile',
    rule: 'at most max_runners',
    default: 0,
    min: 0,
  }),
} as const;

export const SCHEDULE_FIELDS = {
  timezone: field.text({
    describe: 'the IANA time zone of its windows; UTC unless set',
    rule: 'UTC, or a name as the database spells it, like Europe/Vilnius',
    keepEmpty: true,
    check: checkTimeZone,
  }),
  windows: field.list(field.any({ describe: 'a window' }), {
    describe: 'times with a minimum of their own; the first that contains the moment is in force',
  }),
} as const;

export const SCALE_SET_PROVIDER_FIELDS = {
  name: field.text({ describe: "the provider's name", rule: 'each once', required: true }),
  runner: field.any({ describe: "what is written over the provider's own runner block" }),
} as const;

export const SCALE_SET_FIELDS = {
  name: field.text({
    describe: 'what workflows ask for in runs-on',
    rule: 'letters, digits, hyphens and dots, at most 128, and another for each scale set whatever the case',
    required: true,
    check: checkScaleSetName,
  }),
  labels: field.list(
    field.text({ describe: 'a label', rule: 'at most 256 characters, no commas', check: checkLabel }),
    {
      describe: 'further labels beside the name',
      default: [],
      dropEmpty: true,
    },
  ),
  runner_group: field.text({ describe: "GitHub's runner group", default: 'Default' }),
  min_runners: field.integer({
    describe: 'the idle runners to keep',
    rule: 'at most max_runners',
    default: 0,
    min: 0,
  }),
  max_runners: field.integer({ describe: 'the most runners at any time', required: true, min: 1 }),
  schedule: field.any({ describe: 'times with another minimum' }),
  priority: field.integer({ describe: 'who comes first where room is short; higher wins', default: 0 }),
  providers: field.list(field.any({ describe: 'a provider' }), {
    describe: 'the providers its runners are created on, in order of preference',
    required: true,
  }),
  placement: field.choice(['spread', 'pack'], {
    describe: 'whether runners are shared out over the providers, or fill one before the next',
    default: 'spread',
  }),
  start_timeout: field.duration({
    describe: 'how long a runner may take to connect',
    default: 300_000,
    minMs: 30_000,
  }),
  max_idle_age: field.duration({
    describe: 'the age at which an idle runner is replaced; never unless set',
    rule: 'at least start_timeout',
  }),
  max_age: field.duration({
    describe: 'the age at which any runner is removed; never unless set',
    rule: 'at least start_timeout',
  }),
  paused: field.boolean({ describe: 'whether it creates no runners until it is resumed', default: false }),
} as const;

export const METRICS_FIELDS = {
  enable: field.boolean({ describe: 'whether metrics are served', default: false }),
  listen: field.text({
    describe: 'where they are served',
    rule: 'HOST:PORT; the host may be empty, and an IPv6 one stands in brackets',
    default: '127.0.0.1:9102',
  }),
} as const;

/** An addition as a whole, so that its keys need no mark of their own. */
export const PAGE_FIELDS = {
  enable: field.boolean({ describe: 'whether the page is served', default: false }),
  listen: field.text({
    describe: 'where it is served, to whoever can reach it',
    rule: 'HOST:PORT; the host may be empty, and an IPv6 one stands in brackets',
    default: '127.0.0.1:9103',
  }),
} as const;

export const EVENTS_FIELDS = {
  file: field.text({
    describe: 'the file events are kept in',
    rule: 'an absolute path',
    default: '/var/log/rungar/events.jsonl',
    check: checkAbsolute,
  }),
  max_count: field.integer({ describe: 'the most events kept', default: 10_000, zeroIsUnset: true, min: 0 }),
  max_age: field.duration({ describe: 'how long events are kept; without limit unless set' }),
} as const;

export const TOP_FIELDS = {
  version: field.any({ describe: 'the version of this format', rule: '1' }),
  github: field.any({ describe: 'what to serve, and the credentials for it' }),
  installation: field.text({
    describe: 'what tells this fleet from others on the same providers; derived from github.url unless set',
    rule: '1 to 63 letters, digits, ".", "_" and "-", with a letter or digit at both ends',
    check: (text) =>
      isInstallation(text)
        ? undefined
        : 'must be 1 to 63 letters, digits, ".", "_" and "-", with a letter or digit at both ends',
  }),
  providers: field.list(field.any({ describe: 'a provider' }), {
    describe: 'where runners are created: at least one',
    required: true,
  }),
  scale_sets: field.list(field.any({ describe: 'a scale set' }), {
    describe: 'what is served',
    default: [],
  }),
  reconcile_interval: field.duration({
    describe: 'how often everything is looked at afresh',
    default: 30_000,
    minMs: 5_000,
  }),
  metrics: field.any({ describe: 'whether and where metrics are served' }),
  page: field.any({ describe: 'whether and where a page to look at is served', addition: true }),
  events: field.any({ describe: 'where events are kept, and how many' }),
  socket: field.text({
    describe: 'the control socket',
    rule: 'an absolute path of at most 103 bytes',
    default: '/run/rungar/rungar.sock',
    check(path) {
      const bytes = Buffer.byteLength(path);
      if (bytes > SOCKET_BYTES) return `must have at most ${SOCKET_BYTES} bytes, and has ${bytes}`;
      return checkAbsolute(path);
    },
  }),
  log_level: field.choice(['debug', 'info', 'warn', 'error'], {
    describe: 'the least severe log lines to write',
    default: 'info',
    anyCase: true,
    aliases: { warning: 'warn' },
  }),
  log_format: field.choice(['text', 'json'], { describe: 'how log lines look', default: 'text', anyCase: true }),
} as const;

function checkAbsolute(path: string): string | undefined {
  return path.startsWith('/') ? undefined : 'must be an absolute path';
}

function checkScaleSetName(name: string): string | undefined {
  if (/[ \t]/.test(name)) return 'must not hold a space or a tab';
  if (!NO_CONTROL.test(name)) return 'must not hold control characters';
  return [...name].length > 128 ? 'must have at most 128 characters' : undefined;
}

function checkLabel(label: string): string | undefined {
  if ([...label].length > 256) return 'must have at most 256 characters';
  if (label.includes(',') || !NO_CONTROL.test(label)) return 'must not hold commas or control characters';
  return label.trim() === label ? undefined : 'must not begin or end with a space';
}
