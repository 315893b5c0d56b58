/** What has been said so far, by the question's name. */
export type Answers = Readonly<Record<string, string>>;

/** One thing a new configuration needs to know. Its name is also a flag of `rungar config init`. */
export interface Question {
  readonly name: string;
  /** What it is, for the prompt and for the comment in the file. */
  readonly ask: string;
  /** A good answer; it also stands in for one that is not there yet. */
  readonly example: string;
  /** What an empty answer means; without this there must be one. */
  readonly fallback?: string;
  /** The only answers there are. */
  readonly choices?: readonly string[];
}

/** Which type of provider there is to be. */
export const TYPE_QUESTION: Question = {
  name: 'type',
  ask: 'the kind of backend that runners are machines of',
  example: 'aws',
  choices: ['aws', 'dicer', 'gcp', 'proxmox'],
};

const CREDENTIALS: Question = {
  name: 'credentials',
  ask: 'how to prove to GitHub who asks; an App is recommended',
  example: 'app',
  fallback: 'app',
  choices: ['app', 'token'],
};

const APP: readonly Question[] = [
  { name: 'app-client-id', ask: "the GitHub App's client ID", example: 'Iv23liEXAMPLE' },
  { name: 'app-installation-id', ask: "the number of the App's installation", example: '4711' },
  {
    name: 'app-private-key-path',
    ask: "the file with the App's private key, readable by the daemon alone",
    example: '/etc/rungar/app.pem',
  },
];

const TOKEN: readonly Question[] = [
  { name: 'token-path', ask: 'the file with the token, readable by the daemon alone', example: '/etc/rungar/token' },
];

const MEMORY: Question = { name: 'memory', ask: 'how much memory a machine has', example: '4GiB' };

/** A key of a provider's entry or of its runner block, and whether it takes a list. */
export interface KeyQuestion extends Question {
  readonly key: string;
  readonly list?: true;
}

/** What is required of each type: in its entry, and in its runner block. */
export const TYPE_QUESTIONS: Readonly<
  Record<string, { readonly entry: readonly KeyQuestion[]; readonly runner: readonly KeyQuestion[] }>
> = {
  aws: {
    entry: [
      { name: 'region', key: 'region', ask: 'the AWS region', example: 'eu-central-1' },
      {
        name: 'subnets',
        key: 'subnets',
        list: true,
        ask: 'the subnets to create instances in, tried in this order',
        example: 'subnet-0a1b2c3d4e5f60718',
      },
    ],
    runner: [
      {
        name: 'instance-type',
        key: 'instance_type',
        list: true,
        ask: 'the instance type, or several to try in this order',
        example: 'm7i.large',
      },
      { name: 'image', key: 'image', ask: 'the machine image, by its ID', example: 'ami-0a1b2c3d4e5f60718' },
    ],
  },
  dicer: {
    entry: [
      {
        name: 'address',
        key: 'address',
        ask: 'where the Dicer daemon listens: unix:// and the path of its socket, or HOST:PORT',
        example: 'unix:///run/dicer/dicer.sock',
      },
    ],
    runner: [
      {
        name: 'image',
        key: 'image',
        ask: 'the image to boot, as its registry names it',
        example: 'registry.example.com/runner:2',
      },
      { name: 'vcpus', key: 'vcpus', ask: 'how many virtual CPUs a machine has', example: '2' },
      { ...MEMORY, key: 'memory' },
    ],
  },
  gcp: {
    entry: [
      { name: 'project', key: 'project', ask: 'the project, by its ID', example: 'my-ci-project' },
      {
        name: 'zones',
        key: 'zones',
        list: true,
        ask: 'the zones of one region to create instances in, tried in this order',
        example: 'europe-west1-b,europe-west1-c',
      },
    ],
    runner: [
      {
        name: 'machine-type',
        key: 'machine_type',
        list: true,
        ask: 'the machine type, or several to try in this order',
        example: 'e2-standard-4',
      },
      {
        name: 'image',
        key: 'image',
        ask: 'the image, by name or by path',
        example: 'projects/my-ci-project/global/images/family/runner',
      },
    ],
  },
  proxmox: {
    entry: [
      { name: 'api-url', key: 'url', ask: "where the cluster's API is", example: 'https://pve.example.com:8006' },
      { name: 'token-id', key: 'token_id', ask: 'the API token, as USER@REALM!NAME', example: 'rungar@pve!daemon' },
      {
        name: 'token-secret-path',
        key: 'token_secret_path',
        ask: "the file with the token's secret, readable by the daemon alone",
        example: '/etc/rungar/proxmox-token',
      },
    ],
    runner: [
      { name: 'template', key: 'template', ask: 'the template to clone, by its VMID', example: '9000' },
      { name: 'cores', key: 'cores', ask: 'how many cores a machine has', example: '2' },
      { ...MEMORY, key: 'memory' },
    ],
  },
};

export const URL_QUESTION: Question = {
  name: 'url',
  ask: 'the organisation, repository or enterprise to serve',
  example: 'https://github.com/my-org',
};

const SCALE_SET: readonly Question[] = [
  { name: 'scale-set', ask: 'the name workflows ask for in runs-on', example: 'linux', fallback: 'linux' },
  { name: 'max-runners', ask: 'the most runners at any time', example: '10', fallback: '10' },
];

/** The questions after these answers, in the order to ask: which there are depends on the type and the credentials. */
export function questionsFor(answers: Answers): readonly Question[] {
  const { credentials = credentialsMeant(answers), type } = answers;
  const { entry = [], runner = [] } = (type === undefined ? undefined : TYPE_QUESTIONS[type]) ?? {};
  return [
    URL_QUESTION,
    { ...CREDENTIALS, fallback: credentialsMeant(answers) },
    ...credentialQuestions(credentials),
    TYPE_QUESTION,
    {
      name: 'provider',
      ask: 'what scale sets call the provider',
      example: type ?? TYPE_QUESTION.example,
      fallback: type ?? TYPE_QUESTION.example,
    },
    ...entry,
    ...runner,
    ...SCALE_SET,
  ];
}

/** Those of one kind of credentials. */
export function credentialQuestions(credentials: string | undefined): readonly Question[] {
  return credentials === 'token' ? TOKEN : APP;
}

function credentialsMeant(answers: Answers): string {
  return TOKEN.some(({ name }) => answers[name] !== undefined) ? 'token' : 'app';
}

/** Every question there can be, each name once. */
export function allQuestions(): readonly Question[] {
  const types = Object.values(TYPE_QUESTIONS).flatMap(({ entry, runner }) => [...entry, ...runner]);
  const all = [...questionsFor({}), ...TOKEN, ...types];
  return [...new Map(all.map((question) => [question.name, question])).values()];
}
