import { create, type MessageInitShape } from '@bufbuild/protobuf';
import {
  LinuxContainerSecurityContextSchema,
  MountPropagation,
  NamespaceMode,
  SecurityProfile_ProfileType,
  StatusCode,
  SupplementalGroupsPolicy,
} from '@rxlet/cri-api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHostFiles } from '../fs/host-files.ts';
import { createMemoryFiles } from '../fs/memory-files.ts';
import { type Bench, codeOf, type ContainerConfigInit, createBench } from '../test-support.ts';

type SecurityContext = MessageInitShape<typeof LinuxContainerSecurityContextSchema>;

const GROUP_IMAGE = {
  tags: ['groups'] as const,
  user: '1000',
  present: true,
  files: {
    '/etc/passwd': 'root:x:0:0:::\nuser:x:1000:1000:::\n',
    '/etc/group': 'root:x:0:\nuser:x:1000:\nimage:x:50000:user\n',
  },
};
const PROFILE = { defaultAction: 'SCMP_ACT_ALLOW', syscalls: [{ names: ['sethostname'], action: 'SCMP_ACT_ERRNO' }] };
const LOCALHOST = { profileType: SecurityProfile_ProfileType.Localhost, localhostRef: '/profiles/no-hostname.json' };

let bench: Bench;
beforeEach(async () => {
  const host = createMemoryFiles({ '/profiles/no-hostname.json': JSON.stringify(PROFILE) }, []);
  bench = await createBench(
    { images: [GROUP_IMAGE, { tags: ['named'], user: 'app:staff', present: true }] },
    { hostFiles: createHostFiles(host) },
  );
});
afterEach(() => bench.fake[Symbol.asyncDispose]());

/** Runs a script in a container with a security context. @returns its output. */
async function outputOf(script: string, context: SecurityContext, config: ContainerConfigInit = {}) {
  const command = ['sh', '-c', script];
  const securityContext = create(LinuxContainerSecurityContextSchema, context);
  const podSandboxId = await bench.runSandbox();
  const whole = { command, linux: { securityContext }, ...config } as ContainerConfigInit;
  const containerId = await bench.create(podSandboxId, whole);
  await bench.fake.runtime.startContainer({ containerId });
  await bench.clock.settle();
  return (await bench.logOf(containerId)).map((line) => line.replace(/^std(out|err) F /, ''));
}

describe('the user of a container', () => {
  it.each<[string, SecurityContext, string, string]>([
    ['root by default', {}, 'busybox', 'uid=0(root) gid=0(root) groups=0(root)'],
    [
      'that of runAsUser, with its group',
      { runAsUser: { value: 65534n } },
      'busybox',
      'uid=65534(nobody) gid=65534(nogroup) groups=65534(nogroup)',
    ],
    [
      'that of runAsUsername',
      { runAsUsername: 'nobody' },
      'busybox',
      'uid=65534(nobody) gid=65534(nogroup) groups=65534(nogroup)',
    ],
    [
      'that of runAsUser and runAsGroup',
      { runAsUser: { value: 7n }, runAsGroup: { value: 8n } },
      'busybox',
      'uid=7 gid=8(mail) groups=8(mail)',
    ],
    [
      'in the supplemental groups',
      { runAsUser: { value: 7n }, supplementalGroups: [20n, 3n] },
      'busybox',
      'uid=7 gid=0(root) groups=0(root),3,20',
    ],
    ['that of the image by name', {}, 'named', 'uid=1000(app) gid=1000(staff) groups=1000(staff)'],
    [
      'in the groups of the image',
      { supplementalGroups: [9n] },
      'groups',
      'uid=1000(user) gid=1000(user) groups=1000(user),9,50000(image)',
    ],
    [
      'in no groups of the image with the strict policy',
      { supplementalGroups: [9n], supplementalGroupsPolicy: SupplementalGroupsPolicy.Strict },
      'groups',
      'uid=1000(user) gid=1000(user) groups=1000(user),9',
    ],
  ])('is %s', async (_what, context, image, user) => {
    expect(await outputOf('id', context, { image: { image } })).toEqual([user]);
  });

  it('is printed in parts by id, and in the process status', async () => {
    const context = { runAsUsername: 'www-data', supplementalGroups: [20n, 100n] };
    const script =
      'id -u; id -nu; id -g; id -G; id -nG; whoami; grep Uid /proc/self/status; grep Groups /proc/self/status';
    expect(await outputOf(script, context)).toEqual([
      '33',
      'www-data',
      '33',
      '33 20 100',
      'www-data 20 users',
      'www-data',
      'Uid:\t33\t33\t33\t33',
      'Groups:\t20 33 100 ',
    ]);
  });

  it.each<[string, SecurityContext]>([
    ['a group without a user', { runAsGroup: { value: 5n } }],
    ['a name that the image does not have', { runAsUsername: 'nosuchuser' }],
  ])('cannot be %s', async (_what, securityContext) => {
    const podSandboxId = await bench.runSandbox();
    const context = create(LinuxContainerSecurityContextSchema, securityContext);
    expect(await codeOf(bench.create(podSandboxId, { linux: { securityContext: context } }))).toBe(
      StatusCode.InvalidArgument,
    );
  });
});

describe('the rights of a container', () => {
  it.each<[string, SecurityContext, Record<string, string>]>([
    ['default', {}, { CapEff: '00000000a80425fb', CapBnd: '00000000a80425fb', NoNewPrivs: '0', Seccomp: '0' }],
    ['privileged', { privileged: true }, { CapEff: '000001ffffffffff', CapBnd: '000001ffffffffff' }],
    ['all added', { capabilities: { addCapabilities: ['ALL'] } }, { CapEff: '000001ffffffffff' }],
    [
      'all dropped',
      { capabilities: { dropCapabilities: ['ALL'] } },
      { CapPrm: '0000000000000000', CapBnd: '0000000000000000' },
    ],
    [
      'all but one dropped',
      { capabilities: { addCapabilities: ['CAP_NET_ADMIN'], dropCapabilities: ['all'] } },
      { CapEff: '0000000000001000' },
    ],
    [
      'all but one added',
      { capabilities: { addCapabilities: ['ALL'], dropCapabilities: ['CHOWN'] } },
      { CapEff: '000001fffffffffe' },
    ],
    [
      'a user other than root',
      { runAsUser: { value: 5n } },
      { CapEff: '0000000000000000', CapBnd: '00000000a80425fb' },
    ],
    [
      'ambient',
      { runAsUser: { value: 5n }, capabilities: { addAmbientCapabilities: ['NET_ADMIN'] } },
      { CapEff: '0000000000001000', CapAmb: '0000000000001000' },
    ],
    ['no new privileges', { noNewPrivs: true }, { NoNewPrivs: '1' }],
    ['default seccomp profile', { seccomp: {} }, { Seccomp: '2' }],
    ['unconfined', { seccomp: { profileType: SecurityProfile_ProfileType.Unconfined } }, { Seccomp: '0' }],
    ['localhost profile', { seccomp: LOCALHOST }, { Seccomp: '2' }],
    ['localhost profile, privileged', { seccomp: LOCALHOST, privileged: true }, { Seccomp: '0' }],
  ])('appear in the process status: %s', async (_what, context, fields) => {
    const status = await outputOf('cat /proc/self/status', context);
    for (const [name, value] of Object.entries(fields)) expect(status).toContain(`${name}:\t${value}`);
  });

  it.each<[string, SecurityContext, string]>([
    ['hostname new && hostname', {}, 'hostname: sethostname: Operation not permitted'],
    ['hostname new && hostname', { capabilities: { addCapabilities: ['SYS_ADMIN'] } }, 'new'],
    [
      'hostname new && hostname',
      { capabilities: { addCapabilities: ['SYS_ADMIN'] }, seccomp: LOCALHOST },
      'hostname: sethostname: Operation not permitted',
    ],
    ['hostname new && hostname', { privileged: true, seccomp: LOCALHOST }, 'new'],
    ['brctl addbr b', {}, 'brctl: bridge b: Operation not permitted'],
    ['brctl addbr b && brctl show | tail -n 1', { capabilities: { addCapabilities: ['NET_ADMIN'] } }, 'b'],
    ['ping -c 1 localhost | tail -n 1', {}, '64 bytes from localhost: seq=0 ttl=64 time=0.050 ms'],
    [
      'ping localhost >/dev/null',
      { capabilities: { dropCapabilities: ['NET_RAW'] } },
      'ping: permission denied (are you root?)',
    ],
    ['chmod 400 /tmp && echo done', {}, 'done'],
    ['ls', { maskedPaths: ['/bin/ls'] }, 'sh: ls: Permission denied'],
  ])('decide about %j with %j', async (script, context, output) => {
    expect(await outputOf(script, context)).toEqual([output]);
  });
});

describe('the file system of a container', () => {
  it.each<[string, SecurityContext, string]>([
    ['touch f', { readonlyRootfs: true }, 'touch: f: Read-only file system'],
    ['touch /tmp/f', { readonlyPaths: ['/tmp'] }, 'touch: /tmp/f: Read-only file system'],
    ['touch /tmpf && ls /tmpf', { readonlyPaths: ['/tmp'] }, '/tmpf'],
    ['cat /etc/passwd; ls /etc/passwd', { maskedPaths: ['/etc/passwd', '/no/such/path'] }, '/etc/passwd'],
    ['touch /var/log/f', { maskedPaths: ['/var/log'] }, 'touch: /var/log/f: Read-only file system'],
    ['touch /proc/f', { privileged: true }, 'touch: /proc/f: Read-only file system'],
  ])('answers %j with %j', async (script, context, output) => {
    expect(await outputOf(script, context)).toEqual([output]);
  });

  it('is writable in a mount although its root is read-only', async () => {
    const mounts = [{ containerPath: '/data', hostPath: '/data' }];
    const linux = { securityContext: { readonlyRootfs: true } };
    expect(await outputOf('touch /data/f && ls /data', {}, { mounts, linux })).toEqual(['f']);
  });

  it.each<[string, object]>([
    ['recursive without readonly', { recursiveReadOnly: true }],
    [
      'recursive with propagation to the host',
      { recursiveReadOnly: true, readonly: true, propagation: MountPropagation.PROPAGATION_BIDIRECTIONAL },
    ],
    [
      'recursive with propagation from the host',
      { recursiveReadOnly: true, readonly: true, propagation: MountPropagation.PROPAGATION_HOST_TO_CONTAINER },
    ],
    ['of an image without readonly', { image: { image: 'groups' } }],
  ])('has no mount that is %s', async (_what, mount) => {
    const mounts = [{ containerPath: '/data', hostPath: '/data', ...mount }];
    expect(await codeOf(bench.create(await bench.runSandbox(), { mounts }))).toBe(StatusCode.InvalidArgument);
  });

  it('has the files of its image, and those of image volumes', async () => {
    const volume = { containerPath: '/vol', readonly: true, image: { image: 'groups' }, imageSubPath: 'etc' };
    const script = 'head -n 1 /etc/group; ls /vol; touch /vol/f';
    expect(await outputOf(script, {}, { mounts: [volume] })).toEqual([
      'root:x:0:',
      'group',
      'passwd',
      'touch: /vol/f: Read-only file system',
    ]);
    const { containers } = bench.fake.snapshot();
    expect(containers[0]!.mounts[0]!.image!.imageRef).toMatch(/^sha256:/);
  });

  it.each([
    ['an image that is not present', { image: { image: 'absent' } }, StatusCode.NotFound],
    ['a missing directory', { image: { image: 'groups' }, imageSubPath: 'nothing' }, StatusCode.InvalidArgument],
  ])('cannot have a volume of %s', async (_what, volume, code) => {
    const mounts = [{ containerPath: '/vol', readonly: true, ...volume }];
    expect(await codeOf(bench.create(await bench.runSandbox(), { mounts }))).toBe(code);
  });
});

describe('a sandbox', () => {
  const mapping = { containerId: 0, hostId: 1000, length: 65_536 };
  const namespaceOptions = (usernsOptions: object): object => ({
    linux: { securityContext: { namespaceOptions: { usernsOptions } } },
  });

  it.each([
    ['two mappings', { mode: NamespaceMode.POD, uids: [mapping, mapping], gids: [mapping] }],
    ['a mapping without root', { mode: NamespaceMode.POD, uids: [{ ...mapping, containerId: 1 }], gids: [mapping] }],
    ['an empty mapping', { mode: NamespaceMode.POD, uids: [{ ...mapping, length: 0 }], gids: [mapping] }],
    ['no mappings', { mode: NamespaceMode.POD }],
    ['mappings of the node', { mode: NamespaceMode.NODE, uids: [mapping] }],
    ['the mode CONTAINER', { mode: NamespaceMode.CONTAINER }],
    ['the mode TARGET', { mode: NamespaceMode.TARGET }],
  ])('cannot have a user namespace with %s', async (_what, userns) => {
    expect(await codeOf(bench.runSandbox('web', namespaceOptions(userns)))).toBe(StatusCode.InvalidArgument);
    expect(bench.fake.snapshot().sandboxes).toEqual([]);
  });

  it.each([
    ['of its own', { mode: NamespaceMode.POD, uids: [mapping], gids: [mapping] }, '         0       1000      65536'],
    ['of the node', { mode: NamespaceMode.NODE }, '         0          0 4294967295'],
  ])('shows a user namespace %s', async (_what, userns, map) => {
    const podSandboxId = await bench.runSandbox('web', namespaceOptions(userns));
    const containerId = await bench.create(podSandboxId, { command: ['cat', '/proc/self/uid_map'] });
    await bench.fake.runtime.startContainer({ containerId });
    await bench.clock.settle();
    expect(await bench.logOf(containerId)).toEqual([`stdout F ${map}`]);
  });

  it('shows its sysctls and its DNS configuration', async () => {
    const podSandboxId = await bench.runSandbox('web', {
      linux: { sysctls: { 'kernel.shm_rmid_forced': '1' } },
      dnsConfig: { servers: ['10.0.0.10', '10.0.0.11'], searches: ['a.b', 'c'], options: ['ndots:5'] },
    });
    const command = ['cat', '/proc/sys/kernel/shm_rmid_forced', '/etc/resolv.conf'];
    const containerId = await bench.create(podSandboxId, { command });
    await bench.fake.runtime.startContainer({ containerId });
    await bench.clock.settle();
    expect((await bench.logOf(containerId)).map((line) => line.slice('stdout F '.length))).toEqual([
      '1',
      'search a.b c',
      'nameserver 10.0.0.10',
      'nameserver 10.0.0.11',
      'options ndots:5',
    ]);
  });
});
