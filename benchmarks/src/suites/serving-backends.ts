import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startEc2Emulator } from '@rungar/emulators/aws';
import { startDicerEmulator } from '@rungar/emulators/dicer';
import { startGceEmulator } from '@rungar/emulators/gcp';
import { startPveEmulator } from '@rungar/emulators/proxmox';

/** An emulated backend to serve from, which the configuration names `host`. */
export interface Backend {
  /** A provider's entry, on one line. */
  readonly entry: string;
  close(): Promise<void>;
}

/** @param folder where its files go */
export async function dicerBackend(folder: string): Promise<Backend> {
  const dicer = await startDicerEmulator({ socketPath: join(folder, 'd') });
  const runner = '{image: "ghcr.io/actions/actions-runner:latest", vcpus: 2, memory: 4GiB}';
  return {
    entry: `{name: host, type: dicer, address: "${dicer.address}", runner: ${runner}}`,
    close: () => dicer.close(),
  };
}

/** @param folder where its files go */
export async function proxmoxBackend(folder: string): Promise<Backend> {
  const pve = await startPveEmulator();
  const secret = join(folder, 'proxmox-token');
  await writeFile(secret, `${pve.token.secret}\n`, { mode: 0o600 });
  const runner = `{template: ${pve.catalogue.templates[0]?.vmid}, cores: 2, memory: 4GiB}`;
  const access = `token_id: "${pve.token.id}", token_secret_path: "${secret}", tls: {fingerprint: "${pve.fingerprint}"}`;
  return {
    entry: `{name: host, type: proxmox, url: "${pve.url}", ${access}, runner: ${runner}}`,
    close: () => pve.close(),
  };
}

/** @param folder where its files go */
export async function awsBackend(folder: string): Promise<Backend> {
  const ec2 = await startEc2Emulator();
  const { accessKeyId, secretAccessKey } = ec2.credentials;
  const file = join(folder, 'aws-credentials');
  const keys = `aws_access_key_id = ${accessKeyId}\naws_secret_access_key = ${secretAccessKey}`;
  await writeFile(file, `[emulated]\n${keys}\n`, { mode: 0o600 });
  const access = `endpoint_url: "${ec2.url}", credentials_file: "${file}", profile: emulated`;
  const where = `region: ${ec2.region}, subnets: [${ec2.catalogue.subnets[0]?.id}]`;
  const runner = `{instance_type: [m6i.large], image: ${ec2.catalogue.images[0]?.id}}`;
  return {
    entry: `{name: host, type: aws, ${where}, ${access}, runner: ${runner}}`,
    close: () => ec2.close(),
  };
}

export async function computeEngineBackend(): Promise<Backend> {
  const gce = await startGceEmulator();
  const { zones, machineTypes, images } = gce.catalogue;
  const where = `project: ${gce.project}, zones: [${zones[0]}], endpoint_url: "${gce.url}"`;
  const runner = `{machine_type: ${machineTypes[1]?.name}, image: ${images[0]?.name}}`;
  return { entry: `{name: host, type: gcp, ${where}, runner: ${runner}}`, close: () => gce.close() };
}
