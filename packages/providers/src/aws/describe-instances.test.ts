import * as sdk from '@aws-sdk/client-ec2';
import { DescribeInstancesCommand } from '@aws-sdk/client-ec2';
import { createRedactor } from '@rungar/model';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { labelsOf } from '../../test/aws-builders.js';
import { clientAnswering, instanceXml, pageXml, reservationXml, type WireAnswer } from '../../test/ec2-pages.js';
import { describeAll } from './describe-instances.js';
import { toEc2Error } from './errors.js';
import { toMachine } from './machine.js';

const signal = new AbortController().signal;
const clock = { wallNow: () => Date.UTC(2027, 0, 4, 9) };
const filters = { Filters: [{ Name: 'tag:rungar.sh/managed', Values: ['true'] }] };

const listing = (...answers: WireAnswer[]) =>
  describeAll(sdk, clientAnswering(...answers).client, filters, clock, signal);

/** The machines of a page as the SDK itself reads it. */
async function machinesByTheSdk(body: string) {
  const { client } = clientAnswering({ body });
  const { Reservations = [] } = await client.send(new DescribeInstancesCommand({}));
  return Reservations.flatMap(({ Instances = [] }) => Instances).map(toMachine);
}

const tagged = (name: string) => Object.entries({ Name: name, ...labelsOf(name) });

test('reads what a provider uses, and nothing of the same name elsewhere', async () => {
  const reason = 'Server.SpotInstanceTermination: taken <back> & gone';
  const body = pageXml([
    reservationXml([instanceXml({ id: 'i-00000001', tags: tagged('linux-1') }), instanceXml({ id: 'i-00000002' })]),
    reservationXml([instanceXml({ id: 'i-00000003', state: 'stopped', reason })]),
  ]);
  const { instances, ownerId } = await listing({ body });
  expect(ownerId).toBe('123456789012');
  expect(instances.map(toMachine)).toEqual([
    {
      name: 'linux-1',
      id: 'i-00000001',
      labels: labelsOf('linux-1'),
      state: 'running',
      size: 'm7i.xlarge',
      createdAt: Date.UTC(2027, 0, 4, 9),
    },
    {
      name: '',
      id: 'i-00000002',
      labels: {},
      state: 'running',
      size: 'm7i.xlarge',
      createdAt: Date.UTC(2027, 0, 4, 9),
    },
    {
      name: '',
      id: 'i-00000003',
      labels: {},
      state: 'stopped',
      size: 'm7i.xlarge',
      createdAt: Date.UTC(2027, 0, 4, 9),
      stateReason: reason,
    },
  ]);
  expect(instances.map(toMachine)).toEqual(await machinesByTheSdk(body));
});

test('reads any tag as the SDK does, and exactly', async () => {
  const text = fc.string({
    unit: fc.constantFrom('a', ' ', '&', '<', '>', '"', "'", ';', '#', 'é', '東', '😀', '&amp;'),
  });
  await fc.assert(
    fc.asyncProperty(text, text, async (scaleSet, name) => {
      const tags = [
        ['Name', name],
        ['rungar.sh/scale-set', scaleSet],
      ] as const;
      const body = pageXml([reservationXml([instanceXml({ id: 'i-00000001', tags })])]);
      const machines = (await listing({ body })).instances.map(toMachine);
      expect(machines[0]).toMatchObject({ name, labels: { 'rungar.sh/scale-set': scaleSet } });
      expect(machines).toEqual(await machinesByTheSdk(body));
    }),
    { numRuns: 50 },
  );
});

test('follows every page, and keeps an instance that moved between two as the later one has it', async () => {
  const { client, asked } = clientAnswering(
    {
      body: pageXml(
        [reservationXml([instanceXml({ id: 'i-00000001' }), instanceXml({ id: 'i-00000002' })])],
        'next=1&amp;',
      ),
    },
    { body: pageXml([reservationXml([instanceXml({ id: 'i-00000002', state: 'stopped' })])]) },
  );
  const { instances } = await describeAll(sdk, client, filters, clock, signal);
  expect(instances.map(({ InstanceId, State }) => [InstanceId, State?.Name])).toEqual([
    ['i-00000001', 'running'],
    ['i-00000002', 'stopped'],
  ]);
  expect(asked.map((body) => [body.get('NextToken'), body.get('MaxResults'), body.get('Filter.1.Name')])).toEqual([
    [null, '1000', 'tag:rungar.sh/managed'],
    ['next=1&', '1000', 'tag:rungar.sh/managed'],
  ]);
});

test.each([
  ['a listing of nothing', pageXml([])],
  ['one with an empty element', '<DescribeInstancesResponse><reservationSet/></DescribeInstancesResponse>'],
])('%s is one', async (_, body) => {
  expect(await listing({ body })).toEqual({ instances: [] });
});

test.each([
  ['an empty answer', ''],
  ['a page of a proxy', '<html><body>Sign in</body></html>'],
  ['an answer without a list', '<DescribeInstancesResponse><requestId>x</requestId></DescribeInstancesResponse>'],
  ['an answer to another question', '<DescribeImagesResponse><reservationSet/></DescribeImagesResponse>'],
  ['no XML', '{"reservations": []}'],
  ['half a page', pageXml([reservationXml([instanceXml({ id: 'i-00000001' })])]).slice(0, 900)],
  ['all but the end', pageXml([]).replace('</DescribeInstancesResponse>', '')],
])('%s is not a listing of nothing', async (_, body) => {
  await expect(listing({ body })).rejects.toMatchObject({ code: 'UnreadableAnswer', refusal: 'uncertain' });
});

test('tells how far the clock of EC2 is ahead', async () => {
  const { clockOffsetMs } = await listing({ body: pageXml([]), date: 'Mon, 04 Jan 2027 09:00:45 GMT' });
  expect(clockOffsetMs).toBe(45_000);
});

describe('a refusal', () => {
  const refusal = (code: string, message: string): string =>
    `<?xml version="1.0"?>\n<Response><Errors><Error><Code>${code}</Code><Message>${message}</Message></Error></Errors><RequestID>x</RequestID></Response>`;

  test("is EC2's own", async () => {
    const answer = { status: 403, body: refusal('UnauthorizedOperation', 'You may not &amp; shall not.') };
    const error = await listing(answer).catch((reason: unknown) => toEc2Error(reason, createRedactor()));
    expect(error).toMatchObject({
      code: 'UnauthorizedOperation',
      message: 'You may not & shall not.',
      status: 403,
      refusal: 'other',
    });
  });

  test('that may pass is repeated by the SDK, and what is read is the last answer', async () => {
    const { client, asked } = clientAnswering(
      { status: 503, body: refusal('RequestLimitExceeded', 'Request limit exceeded.') },
      { body: pageXml([reservationXml([instanceXml({ id: 'i-00000001' })])]) },
    );
    const { instances } = await describeAll(sdk, client, filters, clock, signal);
    expect(instances.map(({ InstanceId }) => InstanceId)).toEqual(['i-00000001']);
    expect(asked).toHaveLength(2);
  });
});
