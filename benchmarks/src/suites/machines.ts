import { installationOf, type Labels, runnerLabels, runnerName } from '@rungar/labels';
import type { Random } from '@rungar/model';

const hex = (random: Random, bytes: number): string => Buffer.from(random.bytes(bytes)).toString('hex');

/** Addresses as people type them: some with capitals, some with a slash at the end. */
export function someUrls(random: Random, count: number): string[] {
  return Array.from({ length: count }, (_, at) => {
    const organisation = `org-${at}-${hex(random, 2)}`;
    const typed = random.fraction() < 0.5 ? organisation : organisation.toUpperCase();
    return `https://GitHub.com/${typed}${random.fraction() < 0.5 ? '' : '/'}`;
  });
}

/** The labels of runners of ten scale sets of one installation, half of them with names Google Cloud does not allow. */
export function someLabels(random: Random, count: number): Labels[] {
  const installation = installationOf(`https://github.com/org-${hex(random, 4)}`);
  const scaleSets = Array.from({ length: 10 }, (_, at) => ({
    name: at % 2 === 0 ? `linux-c${at + 2}-m8` : `Linux.C${at + 2}`,
    revision: hex(random, 6),
  }));
  return Array.from({ length: count }, (_, at) => {
    const { name, revision } = scaleSets[at % scaleSets.length] ?? { name: 'linux', revision: '' };
    return runnerLabels({ installation, scaleSet: name, runner: runnerName(name, hex(random, 4)), revision });
  });
}

/** Runner specifications of the `aws` type after defaults, with their tags as a map and as a plain object. */
export function someSpecifications(random: Random, count: number) {
  return Array.from({ length: count }, (_, at) => {
    const Tags = { Owner: 'R&D <build>', team: `ci-${at}` };
    const plain = {
      InstanceType: ['m7i.xlarge', 'm6i.xlarge'],
      Image: `ami-0${hex(random, 8)}`,
      DiskSize: 107374182400,
      DiskType: 'gp3',
      DiskIOPS: 6000,
      DiskThroughput: 500,
      Spot: random.fraction() < 0.5,
      Tags,
      UserData: '#!/bin/bash\nset -u\ntrap poweroff EXIT\ncd /home/runner && sudo -E -u runner ./run.sh\n',
    };
    return { plain, ours: { ...plain, Tags: new Map(Object.entries(Tags)) } };
  });
}
