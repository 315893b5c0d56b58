import type { DescEnum, DescMessage } from '@bufbuild/protobuf';
import { describe, expect, test } from 'vitest';
import { file_dicerd_v1_dicerd as file } from '../gen/dicerd/v1/dicerd_pb.js';

// The numbers are the wire: a changed one would speak to another field of a daemon that is out there.

const fieldsOf = (message: DescMessage): string =>
  message.fields.map((field) => `${field.number} ${field.name}`).join(', ');
const valuesOf = (wanted: DescEnum): string => wanted.values.map((value) => `${value.number} ${value.name}`).join(', ');
const messageNamed = (name: string): DescMessage | undefined => file.messages.find((message) => message.name === name);
const enumNamed = (name: string): DescEnum | undefined => file.enums.find((one) => one.name === name);

/** `1 A, 2 B` with the enum's prefix before each name. */
const prefixed = (prefix: string, values: string): string =>
  values
    .split(', ')
    .map((value) => value.replace(' ', ` ${prefix}_`))
    .join(', ');

test('the methods are called by their full names', () => {
  const [service] = file.services;
  expect(service?.typeName).toBe('dicerd.v1.DaemonService');
  expect(service?.methods.map((method) => `${method.name} ${method.methodKind} ${method.output.typeName}`)).toEqual([
    'CreateInstance unary dicerd.v1.Instance',
    'ListInstances unary dicerd.v1.ListInstancesResponse',
    'GetInstance unary dicerd.v1.Instance',
    'StartInstance unary dicerd.v1.Instance',
    'StopInstance unary dicerd.v1.Instance',
    'DeleteInstance unary google.protobuf.Empty',
    'GetInstanceLogs server_streaming dicerd.v1.InstanceLogChunk',
    'GetImage unary dicerd.v1.Image',
    'ListImages unary dicerd.v1.ListImagesResponse',
    'PullImage server_streaming dicerd.v1.PullImageProgress',
    'GetHostInfo unary dicerd.v1.GetHostInfoResponse',
    'GetResources unary dicerd.v1.GetResourcesResponse',
    'GetEvents server_streaming dicerd.v1.GetEventsResponse',
  ]);
});

describe('the fields of', () => {
  test.each([
    [
      'CreateInstanceRequest',
      '1 name, 2 image_ref, 3 hypervisor_type, 4 hypervisor_version, 5 kernel_name, 6 kernel_args, 7 vcpus, ' +
        '8 memory_bytes, 9 disk_bytes, 10 network_name, 11 static_ip, 14 env, 15 cmd, 16 labels, 17 hostname, 19 start, ' +
        '20 ports, 21 restart_policy, 22 health_check, 23 init_mode, 24 remove_on_exit, 25 mounts, 26 pull_policy',
    ],
    ['ListInstancesRequest', ''],
    ['ListInstancesResponse', '1 instances'],
    [
      'Instance',
      '1 id, 2 name, 3 hostname, 4 image_ref, 5 hypervisor_type, 6 hypervisor_version, 7 kernel_name, 8 kernel_args, ' +
        '9 vcpus, 10 memory_bytes, 11 disk_bytes, 12 network_name, 13 static_ip, 16 env, 17 cmd, 18 labels, ' +
        '20 create_time, 21 update_time, 22 state, 23 state_error, 24 hypervisor_pid, 25 vsock_cid, 26 ip, 27 mac, ' +
        '28 start_time, 29 ports, 30 restart_policy, 31 exit_code, 32 restart_count, 33 finish_time, ' +
        '34 next_restart_time, 35 health_check, 36 health, 37 init_mode, 38 remove_on_exit, 39 mounts',
    ],
    ['DeleteInstanceRequest', '1 name, 2 force'],
    ['GetImageRequest', '1 ref'],
    ['Image', '1 name, 2 digest, 3 size_bytes, 4 create_time, 5 update_time, 6 health_check, 7 last_used_time'],
    ['PullImageRequest', '1 ref'],
    ['PullImageProgress', '1 stage, 2 downloaded_bytes, 3 total_bytes, 4 image'],
    ['RestartPolicy', '1 mode, 2 max_retries'],
    ['Mount', '1 type, 2 source, 3 target, 4 read_only'],
    ['PortMapping', '1 host_ip, 2 host_port, 3 guest_port, 4 protocol'],
    ['HealthCheck', '1 exec, 2 http, 3 tcp, 4 interval, 5 timeout, 6 start_period, 7 retries, 8 disabled'],
    ['Health', '1 status, 2 failing_streak, 3 last_check_time, 4 last_output, 5 check'],
    ['GetInstanceLogsRequest', '1 name, 2 source, 3 tail_lines, 4 follow'],
    ['InstanceLogChunk', '1 data'],
    [
      'GetHostInfoResponse',
      '1 version, 2 hostname, 3 hypervisors, 5 api_addresses, 6 default_kernel, 7 default_network',
    ],
    ['HypervisorInfo', '1 type, 2 versions, 3 is_default'],
    ['GetResourcesResponse', '1 cpu, 2 memory, 3 disk, 4 instances'],
    ['ResourceCapacity', '1 host, 2 reserved, 3 overcommit, 4 allocatable, 5 allocated, 6 available'],
    ['DiskUsage', '1 path, 2 total_bytes, 3 free_bytes, 4 provisioned_bytes'],
    ['InstanceResources', '1 name, 2 state, 3 vcpus, 4 memory_bytes'],
    ['GetEventsRequest', '1 kind, 2 id, 3 name, 4 since, 5 limit, 6 follow'],
    ['GetEventsResponse', '1 events, 2 caught_up'],
    ['Event', '1 time, 2 kind, 3 id, 4 name, 5 action, 6 message, 7 attributes'],
  ])('%s', (name, want) => {
    const message = messageNamed(name);
    expect(message && fieldsOf(message)).toBe(want);
  });
});

test('an exit code of 0 is told from none', () => {
  const exitCode = messageNamed('Instance')?.fields.find((field) => field.name === 'exit_code');
  expect(exitCode?.proto.proto3Optional).toBe(true);
});

describe('the values of', () => {
  test.each([
    ['HypervisorType', 'HYPERVISOR_TYPE', '0 UNSPECIFIED, 1 CLOUD_HYPERVISOR, 2 FIRECRACKER'],
    [
      'InstanceState',
      'INSTANCE_STATE',
      '0 UNSPECIFIED, 1 STOPPED, 2 STARTING, 3 RUNNING, 4 PAUSED, 5 STOPPING, 6 RESTARTING, 7 FAILED',
    ],
    ['InitMode', 'INIT_MODE', '0 UNSPECIFIED, 1 AUTO, 2 EXEC, 3 SYSTEMD'],
    ['PullPolicy', 'PULL_POLICY', '0 UNSPECIFIED, 1 MISSING, 2 ALWAYS, 3 NEVER'],
    ['RestartMode', 'RESTART_MODE', '0 UNSPECIFIED, 1 NO, 2 ON_FAILURE, 3 UNLESS_STOPPED, 4 ALWAYS'],
    ['MountType', 'MOUNT_TYPE', '0 UNSPECIFIED, 1 VOLUME, 2 FILE, 3 TMPFS'],
    ['Protocol', 'PROTOCOL', '0 UNSPECIFIED, 1 TCP, 2 UDP'],
    ['PullStage', 'PULL_STAGE', '0 UNSPECIFIED, 1 RESOLVING, 2 DOWNLOADING, 3 UNPACKING, 4 CONVERTING'],
    ['HealthStatus', 'HEALTH_STATUS', '0 UNSPECIFIED, 1 STARTING, 2 HEALTHY, 3 UNHEALTHY'],
    ['LogSource', 'LOG_SOURCE', '0 UNSPECIFIED, 1 GUEST, 2 HYPERVISOR'],
    ['EventKind', 'EVENT_KIND', '0 UNSPECIFIED, 1 INSTANCE, 2 IMAGE, 3 NETWORK, 4 VOLUME'],
    [
      'EventAction',
      'EVENT_ACTION',
      '0 UNSPECIFIED, 1 CREATED, 2 UPDATED, 3 DELETED, 4 STARTED, 5 STOPPED, 6 PAUSED, 7 RESUMED, 8 EXITED, 9 DIED, ' +
        '10 RESTARTING, 11 RENAMED, 12 HEALTHY, 13 UNHEALTHY, 14 SNAPSHOT_CREATED, 15 SNAPSHOT_RESTORED, ' +
        '16 SNAPSHOT_DELETED, 17 PULLED, 18 COLLECTED',
    ],
  ])('%s', (name, prefix, want) => {
    const found = enumNamed(name);
    expect(found && valuesOf(found)).toBe(prefixed(prefix, want));
  });
});
