import type { Clock, Labels } from '@rungar/model';
import { type Ec2, Ec2Error } from '@rungar/providers/aws';

const RUN_MS = 500;
const TERMINATE_MS = 300;
const REFUSAL_MS = 100;
const STEP_MS = 10;

/** A token bucket whose rate may change with the time since its start, in milliseconds. */
export interface Bucket {
  readonly size: number;
  perSecond(sinceStartMs: number): number;
}

/** What came of the calls. */
export interface Seen {
  /** Names of the machines made, with the time at which each was there. */
  readonly made: ReadonlyMap<string, number>;
  readonly calls: Readonly<Record<'run' | 'refused' | 'terminate' | 'describe', number>>;
}

/** An EC2 on a clock of its own, with the latencies the targets are stated for, that grants launches from a bucket. */
export function simulatedEc2(clock: Clock, bucket: Bucket): { readonly ec2: Ec2; readonly seen: Seen } {
  const start = clock.now();
  const made = new Map<string, number>();
  const ids = new Map<string, string>();
  const calls = { run: 0, refused: 0, terminate: 0, describe: 0 };
  let tokens = bucket.size;
  let filledAt = start;

  const granted = (): boolean => {
    for (const now = clock.now(); filledAt < now; filledAt += STEP_MS) {
      tokens = Math.min(bucket.size, tokens + (bucket.perSecond(filledAt - start) * STEP_MS) / 1000);
    }
    if (tokens < 1 - 1e-9) return false;
    tokens -= 1;
    return true;
  };

  const ec2: Ec2 = {
    async runInstances({ ClientToken = '', TagSpecifications = [], InstanceType }) {
      calls.run += 1;
      if (!granted()) {
        calls.refused += 1;
        await clock.sleep(REFUSAL_MS);
        throw new Ec2Error('RequestLimitExceeded', 'Request limit exceeded.', 'throttled', 503);
      }
      await clock.sleep(RUN_MS);
      const Tags = TagSpecifications[0]?.Tags ?? [];
      const name = Tags.find(({ Key }) => Key === 'Name')?.Value ?? '';
      const InstanceId = ids.get(ClientToken) ?? `i-${ids.size.toString(16).padStart(17, '0')}`;
      ids.set(ClientToken, InstanceId);
      if (!made.has(name)) made.set(name, clock.now());
      return { InstanceId, Tags, State: { Name: 'pending' }, ...(InstanceType && { InstanceType }) };
    },
    async describeInstances() {
      calls.describe += 1;
      await clock.sleep(REFUSAL_MS);
      return { instances: [] };
    },
    async terminateInstances() {
      calls.terminate += 1;
      await clock.sleep(TERMINATE_MS);
    },
    describeImages: async () => [],
    getConsoleOutput: async () => Buffer.alloc(0),
    close() {},
  };
  return { ec2, seen: { made, calls } };
}

/** A page of instances as EC2 answers it, some four kilobytes each. */
export function pageOfEc2Instances(labels: readonly Labels[]): string {
  const reservations = labels.map(
    (own, at) => `
        <item>
            <reservationId>r-${hex(at)}</reservationId>
            <ownerId>123456789012</ownerId>
            <groupSet/>
            <instancesSet>${instanceXml(own, at)}
            </instancesSet>
            <requesterId>AIDABENCHMARK00000000</requesterId>
        </item>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<DescribeInstancesResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/">
    <requestId>59dbff89-35bd-4eac-99ed-be587EXAMPLE</requestId>
    <reservationSet>${reservations.join('')}
    </reservationSet>
</DescribeInstancesResponse>`;
}

const hex = (at: number): string => at.toString(16).padStart(17, '0');

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function instanceXml(labels: Labels, at: number): string {
  const tags = { Name: labels['rungar.sh/runner'] ?? '', Owner: 'R&D <build> 東京', team: `ci-${at % 7}`, ...labels };
  const id = hex(at);
  const address = `10.0.${at >> 8}.${at & 255}`;
  return `
                <item>
                    <instanceId>i-${id}</instanceId>
                    <imageId>ami-0a1b2c3d4e5f60718</imageId>
                    <instanceState>
                        <code>16</code>
                        <name>running</name>
                    </instanceState>
                    <privateDnsName>ip-${address.replaceAll('.', '-')}.eu-central-1.compute.internal</privateDnsName>
                    <dnsName/>
                    <reason/>
                    <amiLaunchIndex>0</amiLaunchIndex>
                    <productCodes/>
                    <instanceType>m7i.xlarge</instanceType>
                    <launchTime>2027-01-04T09:00:00.000Z</launchTime>
                    <placement>
                        <availabilityZone>eu-central-1a</availabilityZone>
                        <availabilityZoneId>euc1-az2</availabilityZoneId>
                        <groupName/>
                        <tenancy>default</tenancy>
                    </placement>
                    <monitoring>
                        <state>disabled</state>
                    </monitoring>
                    <subnetId>subnet-0a1b2c3d4e5f60718</subnetId>
                    <vpcId>vpc-0a1b2c3d4e5f60718</vpcId>
                    <privateIpAddress>${address}</privateIpAddress>
                    <sourceDestCheck>true</sourceDestCheck>
                    <groupSet>
                        <item>
                            <groupId>sg-0a1b2c3d4e5f60718</groupId>
                            <groupName>runners</groupName>
                        </item>
                    </groupSet>
                    <architecture>x86_64</architecture>
                    <rootDeviceType>ebs</rootDeviceType>
                    <rootDeviceName>/dev/sda1</rootDeviceName>
                    <blockDeviceMapping>
                        <item>
                            <deviceName>/dev/sda1</deviceName>
                            <ebs>
                                <volumeId>vol-${id}</volumeId>
                                <status>attached</status>
                                <attachTime>2027-01-04T09:00:01.000Z</attachTime>
                                <deleteOnTermination>true</deleteOnTermination>
                            </ebs>
                        </item>
                    </blockDeviceMapping>
                    <virtualizationType>hvm</virtualizationType>
                    <clientToken>${id.repeat(3)}</clientToken>
                    <tagSet>${Object.entries(tags)
                      .map(
                        ([key, value]) => `
                        <item>
                            <key>${escaped(key)}</key>
                            <value>${escaped(value)}</value>
                        </item>`,
                      )
                      .join('')}
                    </tagSet>
                    <hypervisor>xen</hypervisor>
                    <networkInterfaceSet>
                        <item>
                            <networkInterfaceId>eni-${id}</networkInterfaceId>
                            <subnetId>subnet-0a1b2c3d4e5f60718</subnetId>
                            <vpcId>vpc-0a1b2c3d4e5f60718</vpcId>
                            <description/>
                            <ownerId>123456789012</ownerId>
                            <status>in-use</status>
                            <macAddress>02:00:00:00:00:01</macAddress>
                            <privateIpAddress>${address}</privateIpAddress>
                            <sourceDestCheck>true</sourceDestCheck>
                            <groupSet>
                                <item>
                                    <groupId>sg-0a1b2c3d4e5f60718</groupId>
                                    <groupName>runners</groupName>
                                </item>
                            </groupSet>
                            <attachment>
                                <attachmentId>eni-attach-${id}</attachmentId>
                                <deviceIndex>0</deviceIndex>
                                <status>attached</status>
                                <attachTime>2027-01-04T09:00:00.000Z</attachTime>
                                <deleteOnTermination>true</deleteOnTermination>
                                <networkCardIndex>0</networkCardIndex>
                            </attachment>
                            <privateIpAddressesSet>
                                <item>
                                    <privateIpAddress>${address}</privateIpAddress>
                                    <primary>true</primary>
                                </item>
                            </privateIpAddressesSet>
                            <ipv6AddressesSet/>
                            <interfaceType>interface</interfaceType>
                        </item>
                    </networkInterfaceSet>
                    <iamInstanceProfile>
                        <arn>arn:aws:iam::123456789012:instance-profile/runners</arn>
                        <id>AIPABENCHMARK00000000</id>
                    </iamInstanceProfile>
                    <ebsOptimized>false</ebsOptimized>
                    <enaSupport>true</enaSupport>
                    <cpuOptions>
                        <coreCount>2</coreCount>
                        <threadsPerCore>2</threadsPerCore>
                    </cpuOptions>
                    <capacityReservationSpecification>
                        <capacityReservationPreference>open</capacityReservationPreference>
                    </capacityReservationSpecification>
                    <hibernationOptions>
                        <configured>false</configured>
                    </hibernationOptions>
                    <enclaveOptions>
                        <enabled>false</enabled>
                    </enclaveOptions>
                    <metadataOptions>
                        <state>applied</state>
                        <httpTokens>required</httpTokens>
                        <httpPutResponseHopLimit>2</httpPutResponseHopLimit>
                        <httpEndpoint>enabled</httpEndpoint>
                    </metadataOptions>
                    <maintenanceOptions>
                        <autoRecovery>default</autoRecovery>
                    </maintenanceOptions>
                    <currentInstanceBootMode>uefi</currentInstanceBootMode>
                </item>`;
}
