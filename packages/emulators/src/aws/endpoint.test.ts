import { describe, expect, test } from 'vitest';
import { clientOf, LAUNCH_FORM, launch, list, post, startWorld, textOf } from '../../test/ec2.js';

describe('authentication', () => {
  test('takes a request of the real SDK signed with a known key', async () => {
    const { client } = await startWorld();
    expect(await list(client)).toEqual([]);
  });

  test.each([
    { name: 'an unknown key', key: { accessKeyId: 'AKIASTRANGER', secretAccessKey: 'x' } },
    { name: 'a wrong secret', key: { accessKeyId: 'AKIAEMULATOR00000000', secretAccessKey: 'x' } },
    {
      name: 'a session token nobody issued',
      key: {
        accessKeyId: 'AKIAEMULATOR00000000',
        secretAccessKey: 'an/emulated/secret/access/key/0000000000',
        sessionToken: 'x',
      },
    },
  ])('refuses $name with AuthFailure', async ({ key }) => {
    const { ec2 } = await startWorld();
    await expect(list(clientOf(ec2, key))).rejects.toMatchObject({
      name: 'AuthFailure',
      message: 'AWS was not able to validate the provided access credentials',
      $metadata: { httpStatusCode: 401 },
    });
  });

  test('refuses a signature for another region', async () => {
    const { ec2 } = await startWorld({ region: 'eu-west-1' });
    await expect(list(clientOf(ec2, ec2.credentials, 'us-east-1'))).rejects.toMatchObject({ name: 'AuthFailure' });
    expect(await list(clientOf(ec2))).toEqual([]);
  });

  test('takes temporary credentials with their token', async () => {
    const key = { accessKeyId: 'ASIATEMPORARY', secretAccessKey: 'secret', sessionToken: 'token' };
    const { ec2 } = await startWorld({ accessKeys: [key] });
    expect(await list(clientOf(ec2, key))).toEqual([]);
    await expect(list(clientOf(ec2, { ...key, sessionToken: 'other' }))).rejects.toMatchObject({ name: 'AuthFailure' });
  });

  test('notices a body that is not the one that was signed', async () => {
    const { ec2 } = await startWorld();
    const answer = await post(
      ec2,
      { ...LAUNCH_FORM, MaxCount: '1' },
      { body: new URLSearchParams({ Version: '2016-11-15', ...LAUNCH_FORM, MaxCount: '9' }).toString() },
    );
    expect(answer.status).toBe(401);
    expect(textOf(answer.body, 'Code')).toBe('AuthFailure');
    expect(ec2.instances()).toEqual([]);
  });

  test.each([
    { name: 'no signature', headers: { authorization: undefined }, status: 403, code: 'MissingAuthenticationToken' },
    { name: 'another scheme', headers: { authorization: 'Bearer abc' }, status: 400, code: 'IncompleteSignature' },
    { name: 'no date', headers: { 'x-amz-date': undefined }, status: 400, code: 'IncompleteSignature' },
    { name: 'another date', headers: { 'x-amz-date': '20200101T000000Z' }, status: 400, code: 'IncompleteSignature' },
  ])('refuses a request with $name', async ({ headers, status, code }) => {
    const { ec2 } = await startWorld();
    const answer = await post(ec2, { Action: 'DescribeInstances' }, { headers });
    expect([answer.status, textOf(answer.body, 'Code')]).toEqual([status, code]);
  });
});

describe('the protocol', () => {
  test('wraps an answer and a refusal the way EC2 does', async () => {
    const { ec2 } = await startWorld();
    const good = await post(ec2, { Action: 'DescribeInstances' });
    expect(good.body).toMatch(
      /^<\?xml version="1.0" encoding="UTF-8"\?>\n<DescribeInstancesResponse xmlns="http:\/\/ec2\.amazonaws\.com\/doc\/2016-11-15\/"><requestId>[0-9a-f-]{36}<\/requestId><reservationSet\/><\/DescribeInstancesResponse>$/,
    );
    expect(good.headers.get('content-type')).toBe('text/xml;charset=UTF-8');
    expect(good.headers.get('x-amzn-requestid')).toBe(textOf(good.body, 'requestId'));
    const bad = await post(ec2, { Action: 'DescribeInstances', 'InstanceId.1': 'i-0123456789abcdef0' });
    expect(bad.body).toMatch(
      /^<\?xml version="1.0" encoding="UTF-8"\?>\n<Response><Errors><Error><Code>InvalidInstanceID.NotFound<\/Code><Message>The instance ID 'i-0123456789abcdef0' does not exist<\/Message><\/Error><\/Errors><RequestID>[0-9a-f-]{36}<\/RequestID><\/Response>$/,
    );
  });

  test.each([
    {
      name: 'a parameter nobody reads',
      form: { ...LAUNCH_FORM, KeyNmae: 'x' },
      code: 'UnknownParameter',
      message: 'The parameter KeyNmae is not recognized',
    },
    {
      name: 'one inside a structure',
      form: { ...LAUNCH_FORM, 'MetadataOptions.HttpToken': 'required' },
      code: 'UnknownParameter',
      message: 'The parameter MetadataOptions.HttpToken is not recognized',
    },
    {
      name: 'a list with a gap',
      form: {
        Action: 'TerminateInstances',
        'InstanceId.1': 'i-0123456789abcdef0',
        'InstanceId.3': 'i-0123456789abcdef1',
      },
      code: 'UnknownParameter',
      message: 'The parameter InstanceId.3 is not recognized',
    },
    {
      name: 'a parameter of another action',
      form: { Action: 'DescribeInstances', MinCount: '1' },
      code: 'UnknownParameter',
      message: 'The parameter MinCount is not recognized',
    },
    {
      name: 'an unknown action',
      form: { Action: 'RunInstance' },
      code: 'InvalidAction',
      message: 'The action RunInstance is not valid for this web service.',
    },
    {
      name: 'an action of that name in JavaScript',
      form: { Action: 'constructor' },
      code: 'InvalidAction',
      message: 'The action constructor is not valid for this web service.',
    },
    { name: 'no action', form: {}, code: 'MissingAction', message: 'The request must contain the parameter Action' },
    {
      name: 'another version',
      form: { Action: 'DescribeInstances', Version: '2010-01-01' },
      code: 'NoSuchVersion',
      message: 'The requested version (2010-01-01) of service AmazonEC2 does not exist',
    },
    {
      name: 'a boolean that is none',
      form: { Action: 'DescribeInstances', DryRun: 'yes' },
      code: 'InvalidParameterValue',
      message: "Invalid value 'yes' for DryRun. Must be true or false.",
    },
  ])('refuses $name', async ({ form, code, message }) => {
    const { ec2 } = await startWorld();
    const answer = await post(ec2, form);
    expect([answer.status, textOf(answer.body, 'Code'), textOf(answer.body, 'Message')]).toEqual([400, code, message]);
    expect(ec2.instances()).toEqual([]);
  });

  test('refuses a header and a path it does not read, in XML', async () => {
    const { ec2 } = await startWorld();
    const answer = await post(ec2, { Action: 'DescribeInstances' }, { headers: { 'x-forwarded-for': '10.0.0.1' } });
    expect([answer.status, textOf(answer.body, 'Code')]).toEqual([400, 'InvalidRequest']);
    const other = await fetch(`${ec2.url}/latest`, { method: 'POST', body: '' });
    expect([other.status, textOf(await other.text(), 'Code')]).toEqual([404, 'InvalidRequest']);
  });

  test('does nothing in a dry run, and says what it would have come to', async () => {
    const { ec2, client } = await startWorld();
    await expect(client.send(launch({ DryRun: true }))).rejects.toMatchObject({
      name: 'DryRunOperation',
      $metadata: { httpStatusCode: 412 },
    });
    await expect(client.send(launch({ DryRun: true, ImageId: 'ami-00000000' }))).rejects.toMatchObject({
      name: 'InvalidAMIID.NotFound',
    });
    ec2.deny('RunInstances');
    await expect(client.send(launch({ DryRun: true }))).rejects.toMatchObject({
      name: 'UnauthorizedOperation',
      $metadata: { httpStatusCode: 403 },
    });
    expect(ec2.instances()).toEqual([]);
  });
});

describe('trouble on the way', () => {
  test('throttles an action by its bucket, which refills by the clock', async () => {
    const { ec2, client, clock } = await startWorld({ throttle: { RunInstances: { bucket: 2, perSecond: 1 } } });
    const results = await Promise.allSettled([1, 2, 3].map(() => client.send(launch())));
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    expect(results.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { name: 'RequestLimitExceeded', message: 'Request limit exceeded.', $metadata: { httpStatusCode: 503 } },
    });
    clock.advance(1000);
    await client.send(launch());
    expect(ec2.instances()).toHaveLength(3);
    expect(ec2.stats()).toEqual({ calls: { RunInstances: 4 }, refusals: { RequestLimitExceeded: 1 } });
  });

  test('a lost reply has launched its instance, and the repetition with its token finds it', async () => {
    const { ec2, client } = await startWorld();
    ec2.dropNextReply();
    await expect(client.send(launch({ ClientToken: 'once' }))).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(ec2.instances()).toHaveLength(1);
    const { Instances = [] } = await client.send(launch({ ClientToken: 'once' }));
    expect(Instances.map(({ InstanceId }) => InstanceId)).toEqual(ec2.instances().map(({ id }) => id));
  });

  test.each([
    { code: 'InsufficientInstanceCapacity', status: 500 },
    { code: 'Unavailable', status: 503 },
    { code: 'MaxFleetCountExceeded', status: 400 },
  ])('refuses as planned with $code and status $status', async ({ code, status }) => {
    const { ec2, client } = await startWorld();
    ec2.refuseNext('RunInstances', code);
    await expect(client.send(launch())).rejects.toMatchObject({ name: code, $metadata: { httpStatusCode: status } });
    await client.send(launch());
    expect(ec2.instances()).toHaveLength(1);
  });

  test('can repeat the whole request in an error', async () => {
    const { ec2, client } = await startWorld();
    ec2.echoNextRequest('RunInstances');
    const UserData = Buffer.from('a registration nobody may see').toString('base64');
    await expect(client.send(launch({ UserData }))).rejects.toMatchObject({
      name: 'InternalError',
      message: expect.stringContaining(encodeURIComponent(UserData)) as string,
    });
  });

  test('answers late by its clock, refusals by their own', async () => {
    const { ec2, client, clock } = await startWorld({ latency: { actions: { RunInstances: 500 }, refusalMs: 100 } });
    const called = new Promise<void>((resolve) => void ec2.on('call', () => resolve()));
    const launched = client.send(launch());
    await called;
    expect(ec2.instances()).toHaveLength(1);
    expect(ec2.requests.at(-1)?.status).toBeUndefined();
    clock.advance(500);
    await launched;
    const refused = new Promise<void>((resolve) => void ec2.on('call', () => resolve()));
    const attempt = client.send(launch({ ImageId: 'ami-00000000' }));
    const seen = expect(attempt).rejects.toMatchObject({ name: 'InvalidAMIID.NotFound' });
    await refused;
    clock.advance(100);
    await seen;
  });
});
