import { Readable } from 'node:stream';
import { EC2Client } from '@aws-sdk/client-ec2';

/** An answer of EC2, as it is on the wire. */
export interface WireAnswer {
  readonly status?: number;
  readonly body: string;
  readonly date?: string;
}

/** A client of the SDK over a connection that gives these answers, one call each, and counts them. */
export function clientAnswering(...answers: WireAnswer[]): { client: EC2Client; asked: URLSearchParams[] } {
  const asked: URLSearchParams[] = [];
  const waiting = [...answers];
  const client = new EC2Client({
    region: 'eu-central-1',
    credentials: { accessKeyId: 'AKIA', secretAccessKey: 'x' },
    maxAttempts: 3,
    requestHandler: {
      async handle({ body }: { body: string }) {
        asked.push(new URLSearchParams(body));
        const { status = 200, body: text, date } = waiting.shift() ?? { body: '' };
        const headers = { 'content-type': 'text/xml', ...(date !== undefined && { date }) };
        return { response: { statusCode: status, headers, body: Readable.from([Buffer.from(text)]) } };
      },
    },
  });
  return { client, asked };
}

/** A page of a listing. */
export function pageXml(reservations: readonly string[], nextToken?: string): string {
  const token = nextToken === undefined ? '' : `<nextToken>${nextToken}</nextToken>`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<DescribeInstancesResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/">
    <requestId>59dbff89-35bd-4eac-99ed-be587EXAMPLE</requestId>
    <reservationSet>${reservations.join('')}</reservationSet>${token}
</DescribeInstancesResponse>`;
}

/** A reservation with its instances. */
export function reservationXml(instances: readonly string[], ownerId = '123456789012'): string {
  return `
        <item>
            <reservationId>r-0a1b2c3d4e5f60718</reservationId>
            <ownerId>${ownerId}</ownerId>
            <groupSet/>
            <instancesSet>${instances.join('')}</instancesSet>
        </item>`;
}

export interface InstanceFacts {
  readonly id: string;
  readonly tags?: readonly (readonly [key: string, value: string])[];
  readonly state?: string;
  readonly reason?: string;
}

/** An instance as EC2 lists it, with much that nobody reads, some of it under names that somebody does. */
export function instanceXml({ id, tags = [], state = 'running', reason }: InstanceFacts): string {
  const items = tags.map(
    ([key, value]) => `
                        <item><key>${escaped(key)}</key><value>${escaped(value)}</value></item>`,
  );
  const why =
    reason === undefined
      ? ''
      : `<stateReason><code>${reason.split(':', 1)[0]}</code><message>${escaped(reason)}</message></stateReason>`;
  return `
                <item>
                    <instanceId>${id}</instanceId>
                    <imageId>ami-0a1b2c3d4e5f60718</imageId>
                    <instanceState><code>16</code><name>${state}</name></instanceState>
                    <privateDnsName>ip-10-0-0-4.eu-central-1.compute.internal</privateDnsName>
                    <dnsName/>
                    <reason/>
                    <amiLaunchIndex>0</amiLaunchIndex>
                    <productCodes/>
                    <instanceType>m7i.xlarge</instanceType>
                    <launchTime>2027-01-04T09:00:00.000Z</launchTime>
                    <placement><availabilityZone>eu-central-1a</availabilityZone><groupName/><tenancy>default</tenancy></placement>
                    <monitoring><state>disabled</state></monitoring>
                    <subnetId>subnet-0a1b2c3d</subnetId>
                    <groupSet><item><groupId>sg-0a1b2c3d</groupId><groupName>runners</groupName></item></groupSet>
                    ${why}
                    <architecture>x86_64</architecture>
                    <blockDeviceMapping><item><deviceName>/dev/sda1</deviceName><ebs><volumeId>vol-0a1b2c3d</volumeId><status>attached</status></ebs></item></blockDeviceMapping>
                    ${tags.length === 0 ? '' : `<tagSet>${items.join('')}\n                    </tagSet>`}
                    <networkInterfaceSet><item><networkInterfaceId>eni-0a1b2c3d</networkInterfaceId><ownerId>999999999999</ownerId><tagSet><item><key>Name</key><value>not the instance</value></item></tagSet><attachment><instanceId>i-99999999</instanceId></attachment></item></networkInterfaceSet>
                    <iamInstanceProfile><arn>arn:aws:iam::123456789012:instance-profile/runners</arn><id>AIPA</id></iamInstanceProfile>
                </item>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
