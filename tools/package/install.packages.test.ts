import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BUSYBOX_REFERENCE, busyboxImage } from '@rxlet/test-containerd/build-image';
import { eventually } from '@rxlet/test-containerd/eventually';
import { containerdUnavailable } from '@rxlet/test-containerd/prerequisites';
import { type PrivateContainerd, startPrivateContainerd } from '@rxlet/test-containerd/private-containerd';
import { type PrivateMachine, startPrivateMachine } from '@rxlet/test-containerd/private-machine';
import { run } from '@rxlet/test-containerd/processes';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { workspaceRoot } from '../workspace/workspace-files.ts';
import { buildPackages, debianArchitecture } from './test-support/build-packages.ts';
import { parseUnit, type RunningService, startService } from './test-support/service-manager.ts';

const OLD = '0.0.9';
const NEW = '0.1.0';
const BUILD_TIMEOUT_MS = 900_000;
const COMMAND_TIMEOUT_MS = 300_000;
const PID_FILE = '/run/rxlet-test.pid';
const CALLS = '/run/rxlet-test.calls';
const STATE = '/var/lib/kubelet';

const unavailable = containerdUnavailable() ?? (existsSync('/usr/bin/dpkg') ? undefined : 'this is not Debian');
if (unavailable !== undefined) console.warn(`packages are not tested: ${unavailable}`);
if (!existsSync('/usr/bin/lintian')) console.warn('packages are not checked by lintian, which is not installed');

/** Stands in for the tool by which maintainer scripts start and stop services. */
const INVOKE = `#!/bin/sh
echo "$*" >>${CALLS}
pid=$(cat ${PID_FILE} 2>/dev/null) || exit 0
case $1 in
  stop | try-restart)
    kill "$pid" 2>/dev/null
    while kill -0 "$pid" 2>/dev/null; do sleep 0.05; done
    ;;
esac
`;

describe.skipIf(unavailable !== undefined)('the Debian packages', () => {
  let folder: string;
  let machine: PrivateMachine;
  let containerd: PrivateContainerd;
  let service: RunningService;
  /** Container of the pod before anything else happened. */
  let containerId: string;

  const deb = (version: string, name = 'rxlet'): string =>
    join(folder, version, `${name}_${version}_${debianArchitecture()}.deb`);
  const on = (script: string): Promise<string> => {
    const [program = '', ...args] = machine.enter;
    // Without the workspace's own commands.
    const clean = ['env', '-i', 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', 'HOME=/root'];
    return run(program, [...args, ...clean, 'sh', '-c', script], { timeoutMs: COMMAND_TIMEOUT_MS });
  };
  const dpkg = (flags: string): Promise<string> => on(`DEBIAN_FRONTEND=noninteractive dpkg ${flags} 2>&1`);
  const calls = async (): Promise<string[]> => {
    const text = await on(`cat ${CALLS}; : >${CALLS}`);
    return text.split('\n').filter(Boolean);
  };

  /** Edits the configuration as an administrator of this machine would. */
  const configure = async (): Promise<void> => {
    const edit = [
      `s|^containerRuntimeEndpoint:.*|containerRuntimeEndpoint: ${containerd.endpoint}|`,
      // Agents and tests of one machine share its cgroups.
      '$a cgroupsPerQOS: false',
      '$a enforceNodeAllocatable: [none]',
    ];
    await on(`sed -i ${edit.map((line) => `-e '${line}'`).join(' ')} /etc/rxlet/config.yaml`);
    await on(`echo 'RXLET_ARGS="--hostname-override=node1 --v=2"' >/etc/default/rxlet`);
  };
  let starts = 0;
  const start = async (socket: 'path' | 'abstract' = 'path'): Promise<void> => {
    starts += 1;
    if (starts > 1) await service[Symbol.asyncDispose]();
    service = await startService({
      machine,
      unit: parseUnit(await on('cat /lib/systemd/system/rxlet.service')),
      environmentFile: await on('cat /etc/default/rxlet'),
      notifySocket: socket === 'path' ? join(folder, `notify-${String(starts)}`) : `@rxlet-test-${String(starts)}`,
      watchdogMs: 2_000,
      pidFile: PID_FILE,
    });
  };
  interface ContainerFacts {
    readonly name?: string;
    readonly containerID?: string;
    readonly restartCount?: number;
    readonly state?: { readonly running?: object };
  }
  const container = async (): Promise<ContainerFacts | undefined> => {
    const { items } = JSON.parse(await on('rxlet get pods -A -o json')) as {
      items: readonly { readonly status?: { readonly containerStatuses?: readonly ContainerFacts[] } }[];
    };
    return items.flatMap(({ status }) => status?.containerStatuses ?? []).find(({ name }) => name === 'app');
  };
  const runningContainer = (): Promise<ContainerFacts> =>
    eventually(
      'the pod runs',
      async () => {
        const found = await container();
        return found?.state?.running === undefined ? undefined : found;
      },
      () => service.output(),
    );
  const hasTask = async (): Promise<boolean> => (await containerd.ctr(['tasks', 'list'])).includes(`${containerId} `);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rxlet-packages-'));
    await mkdir(join(folder, 'tmp'));
    buildPackages(join(folder, NEW), NEW);
    const other = { UMASK: '077', TZ: 'Asia/Kolkata', LC_ALL: 'C', TMPDIR: join(folder, 'tmp') };
    buildPackages(join(folder, `${NEW}-again`), NEW, other);
    buildPackages(join(folder, OLD), OLD);
    machine = await startPrivateMachine({ directories: ['/etc', '/usr', '/var', '/run'] });
    await writeFile(join(folder, 'invoke'), INVOKE);
    // systemd runs here as far as maintainer scripts can see, and does what they ask for by the stand-in only.
    await on(
      `rm -rf /run/systemd ${STATE} && mkdir -p /run/systemd/system && : >${CALLS} && install ${folder}/invoke /usr/bin/deb-systemd-invoke && ln -sf /bin/true /usr/bin/systemctl`,
    );
    containerd = await startPrivateContainerd({ directory: join(folder, 'ctd'), enter: machine.enter });
    await containerd.importImage(busyboxImage(BUSYBOX_REFERENCE));
  }, BUILD_TIMEOUT_MS);
  afterAll(async () => {
    await service?.[Symbol.asyncDispose]();
    await containerd?.[Symbol.asyncDispose]();
    await machine?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  it('come out as the same bytes when they are built again, with another umask, time zone and locale', async () => {
    const names = await readdir(join(folder, NEW));
    expect(await readdir(join(folder, `${NEW}-again`))).toEqual(names);
    expect(names.length).toBeGreaterThan(1);
    for (const name of names) {
      const [first, second] = await Promise.all(
        [NEW, `${NEW}-again`].map((target) => readFile(join(folder, target, name))),
      );
      expect(first!.equals(second!), name).toBe(true);
    }
  });

  it('come with checksums of all files', async () => {
    const names = (await readdir(join(folder, NEW))).filter((name) => name !== 'SHA256SUMS');
    const checked = await on(`cd ${folder}/${NEW} && sha256sum --check --strict SHA256SUMS`);
    expect(checked).toBe(names.map((name) => `${name}: OK\n`).join(''));
  });

  it('come with a bill of materials that lists Node.js and the libraries in the bundle', async () => {
    const name = deb(NEW).replace(/deb$/, 'cdx.json');
    const bill = JSON.parse(await readFile(name, 'utf8')) as { components: { name: string; version: string }[] };
    const listed = bill.components.map((component) => `${component.name} ${component.version} `);
    await on(`dpkg-deb --extract ${deb(NEW)} ${folder}/extracted`);
    const notices = await on(`zcat ${folder}/extracted/usr/share/doc/rxlet/THIRD-PARTY-NOTICES.gz`);
    const bundled = [...notices.matchAll(/^((?:@[^/\s]+\/)?\S+ \S+ )\(.*\)\n-{3,}$/gm)].map(([, title = '']) => title);
    expect(bundled.length).toBeGreaterThan(10);
    expect(listed).toEqual(expect.arrayContaining([...bundled, `node ${process.versions.node} `]));
  });

  it.skipIf(!existsSync('/usr/bin/lintian'))('pass lintian without errors and warnings', async () => {
    const packages = [deb(NEW), deb(NEW, 'rxlet-docker-shim')];
    const found = await run('nice', ['lintian', '--allow-root', ...packages], { timeoutMs: COMMAND_TIMEOUT_MS });
    expect(found).toBe('');
  });

  it('install the command with its documentation, and start nothing', async () => {
    expect(await dpkg(`-i ${deb(OLD)}`)).toContain(`Setting up rxlet (${OLD})`);
    expect(await on('rxlet --version')).toBe(`rxlet v${OLD}\n`);
    expect(await on('dpkg --verify rxlet')).toBe('');
    const documented = await readFile(join(workspaceRoot, 'docs/install.md'), 'utf8');
    const paths = [...documented.matchAll(/^\| `(\/[^`]+)`/gm)].map(([, path = '']) => path);
    expect(paths).toContain('/etc/rxlet/config.yaml');
    // The state comes with the first start.
    await on(`ls -d ${paths.filter((path) => path !== STATE).join(' ')}`);
    expect(await on('man --pager=cat rxlet-get | head -n 4')).toContain('rxlet-get - list pods');
    expect(await on('systemd-analyze verify /lib/systemd/system/rxlet.service 2>&1 || true')).toBe('');
    expect(await on('bash -c "source /usr/share/bash-completion/completions/rxlet; complete -p rxlet"')).toContain(
      'rxlet',
    );
    expect(await calls()).toEqual([]);
  });

  it('bring a service that reports to systemd, in the name of its main process, and runs the pods', async () => {
    await configure();
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web' },
      spec: {
        terminationGracePeriodSeconds: 1,
        containers: [
          {
            name: 'app',
            image: BUSYBOX_REFERENCE,
            command: ['sh', '-c', 'trap exit TERM; while :; do sleep 0.1; done'],
            volumeMounts: [{ name: 'data', mountPath: '/data' }],
          },
        ],
        volumes: [{ name: 'data', emptyDir: { medium: 'Memory' } }],
      },
    };
    await writeFile(join(folder, 'web.yaml'), JSON.stringify(pod));
    await on(`cp ${folder}/web.yaml /etc/kubernetes/manifests/`);
    await start();
    await eventually('the watchdog is fed', () => Promise.resolve(service.messages().includes('WATCHDOG=1')));
    containerId = (await runningContainer()).containerID!.replace('containerd://', '');
    expect(await hasTask()).toBe(true);
  });

  it('bring what an operator needs to check the machine, play a shop, look at it, break it and repair it', async () => {
    const file = join(folder, 'shop.yaml');
    await copyFile(join(workspaceRoot, 'apps/agent/workloads/shop/shop.yaml'), file);
    // The exit code is the last line.
    const line = (command: string): Promise<string> => on(`${command} 2>&1; echo "exit code $?"`);
    expect(await line('rxlet check --config /etc/rxlet/config.yaml')).toMatch(/^ok +runtime +containerd \S+$/m);

    expect(await line(`rxlet play ${file}`)).toMatch(/^default +shop-node1 +2\/2 +Running +0 .*\nexit code 0\n$/m);
    expect(await line('rxlet get pods')).toMatch(
      /^default +shop-node1 +2\/2 +Running[^]*^default +web-node1 +1\/1 +Running/m,
    );
    expect(await line('rxlet logs shop migrate')).toBe('migrating as shop\nmigrated\nexit code 0\n');
    expect(await line('rxlet exec shop -c web -- cat /www/index.html')).toBe(
      '<h1>The shop is open</h1>\nexit code 0\n',
    );

    await on(`sed 's|image: .*|image: localhost:1/no-such-image:1|' ${file} >${folder}/broken.yaml`);
    // The earlier pod ends within five seconds.
    expect(await line(`rxlet play ${folder}/broken.yaml --replace --timeout 12s`)).toMatch(
      /timed out waiting for pod default\/shop[^]*\nexit code 1\n$/,
    );
    expect(await line('rxlet explain shop')).toMatch(/localhost:1\/no-such-image:1/);

    expect(await line(`rxlet play ${file} --replace`)).toMatch(
      /^default +shop-node1 +2\/2 +Running.*\nexit code 0\n$/m,
    );
    expect(await line('rxlet wait --for=condition=Ready pod/shop --timeout=5s')).toBe(
      'pod/shop-node1 condition met\nexit code 0\n',
    );
  });

  it('restart the agent and no container at an upgrade, and keep what an administrator edited', async () => {
    const before = await on('cat /etc/rxlet/config.yaml /etc/default/rxlet');
    await dpkg(`-i ${deb(NEW)}`);
    expect(await calls()).toEqual(['try-restart rxlet.service']);
    expect(await service.ended).toBe(0);
    expect(service.messages().at(-1)).toBe('STOPPING=1');
    expect(await hasTask()).toBe(true);
    await start('abstract');
    expect(await on('rxlet --version')).toBe(`rxlet v${NEW}\n`);
    expect(await runningContainer()).toMatchObject({ containerID: `containerd://${containerId}`, restartCount: 0 });
    expect(await hasTask()).toBe(true);
    expect(await on('cat /etc/rxlet/config.yaml /etc/default/rxlet')).toBe(before);
    expect(await on('rxlet get pods shop --no-headers')).toMatch(/^shop-node1 +2\/2 +Running +0 /);
    expect(await on(`rxlet play ${folder}/shop.yaml --down 2>&1`)).toContain('pod default/shop removed');
  });

  it('stop the agent and no container when they are removed, and keep configuration and state', async () => {
    await dpkg('-r rxlet');
    expect(await calls()).toEqual(['stop rxlet.service']);
    expect(await service.ended).toBe(0);
    expect(await hasTask()).toBe(true);
    expect(await on(`ls -d /etc/rxlet/config.yaml ${STATE}/pods/* 2>&1`)).toMatch(/config\.yaml\n.*pods\/[\w-]+\n$/);
    expect(await on('ls -d /usr/lib/rxlet /var/cache/rxlet 2>/dev/null || true')).toBe('');
  });

  it('keep the state at a purge while pods run, and remove the configuration', async () => {
    expect(await dpkg('-P rxlet')).toContain(`rxlet: kept ${STATE}: `);
    expect(await hasTask()).toBe(true);
    expect(await on(`ls -d ${STATE}/pods/*`)).not.toBe('');
    expect(await on('ls -d /etc/rxlet /etc/default/rxlet 2>/dev/null || true')).toBe('');
  });

  it('remove nothing through a mount at a purge, and the state once the pods have ended', async () => {
    await dpkg(`-i ${deb(NEW)}`);
    await configure();
    await start();
    expect(await runningContainer()).toMatchObject({ containerID: `containerd://${containerId}` });
    await on('rm /etc/kubernetes/manifests/web.yaml');
    await eventually(
      'the pod ends',
      async () => (await on(`ls ${STATE}/pods`)) === '',
      () => service.output(),
    );
    expect(await hasTask()).toBe(false);
    await on(
      `mkdir -p ${STATE}/plugins/disk && mount -t tmpfs tmpfs ${STATE}/plugins/disk && touch ${STATE}/plugins/disk/data`,
    );
    expect(await dpkg('-P rxlet')).toContain(`rxlet: kept ${STATE}: ${STATE}/plugins/disk is mounted`);
    expect(await on(`ls ${STATE}/plugins/disk`)).toBe('data\n');

    await on(`umount ${STATE}/plugins/disk`);
    await dpkg(`-i ${deb(NEW)}`);
    expect(await dpkg('-P rxlet')).not.toContain('kept');
    expect(
      await on(`ls -d ${STATE} /etc/rxlet /etc/kubernetes /usr/lib/rxlet /var/cache/rxlet 2>/dev/null || true`),
    ).toBe('');
  });

  it('bring a Docker shim that serves by its own service', async () => {
    await dpkg(`-i ${deb(NEW, 'rxlet-docker-shim')}`);
    const unit = parseUnit(await on('cat /lib/systemd/system/rxlet-docker-shim.service'));
    const command = `. /etc/default/rxlet-docker-shim; timeout 10 ${unit.get('ExecStart')!} 2>&1 || true`;
    expect(await on(command)).toContain('docker-shim listening on unix:///run/cri-dockerd.sock');
    await dpkg('-P rxlet-docker-shim');
    expect(await on('ls -d /usr/lib/rxlet-docker-shim /etc/default/rxlet-docker-shim 2>/dev/null || true')).toBe('');
  });
});
