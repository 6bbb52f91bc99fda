import type { CertificateFacts, MachineFacts, NodeNeeds, PortFacts } from './machine-facts.ts';

/** A result of a check. */
export interface Finding {
  readonly check: string;
  /** An `error` keeps the node from working; a `warning` may. */
  readonly level: 'error' | 'ok' | 'warning';
  readonly message: string;
  /** The way out, for anything but `ok`. */
  readonly help?: string;
}

/** Oldest kernel that Kubernetes is tested with. */
const OLDEST_KERNEL = [4, 19] as const;
/** Oldest kernel whose cgroup v2 has all that runtimes use. */
const CGROUP_V2_KERNEL = [5, 8] as const;
const REQUIRED_CONTROLLERS = ['cpu', 'cpuset', 'memory', 'pids'] as const;
const LOW_DISK_RATIO = 0.15;
const LOW_INOTIFY_WATCHES = 8192;
const DAY_MS = 24 * 3600 * 1000;
const CERTIFICATE_WARNING_MS = 7 * DAY_MS;

/** Checks whether a machine is fit to be a node. Each check that finds nothing is one `ok`. */
export function checkMachine(facts: MachineFacts, needs: NodeNeeds): readonly Finding[] {
  const checks: readonly (readonly [string, readonly Problem[], string])[] = [
    ['agent', checkAgent(facts), 'no other agent uses the root directory'],
    ['user', needs.isTrial ? [] : checkUser(facts), `user ${String(facts.userId)}`],
    ['kernel', needs.isTrial ? [] : checkKernel(facts), facts.kernelRelease],
    ['cgroups', needs.isTrial ? [] : checkCgroups(facts, needs), describeCgroups(facts)],
    ['runtime', checkRuntime(facts), describeRuntime(facts)],
    ['network', checkNetwork(facts, needs), 'the runtime has a pod network'],
    ['ports', facts.ports.flatMap(checkPort(facts)), describePorts(facts.ports)],
    ['swap', needs.isTrial ? [] : checkSwap(facts, needs), facts.isSwapOn === true ? 'on, and tolerated' : 'off'],
    ['time', checkTime(facts, needs), new Date(facts.nowMs).toISOString()],
    ['certificates', facts.certificates.flatMap(checkCertificate(facts)), describeCertificates(facts)],
    ['disk', checkDisk(facts), describeDisk(facts)],
    ['programs', needs.isTrial ? [] : checkPrograms(facts), 'all are there'],
  ];
  return checks.flatMap(([check, problems, ok]) =>
    problems.length === 0
      ? [{ check, level: 'ok' as const, message: ok }]
      : problems.map((each) => ({ check, ...each })),
  );
}

type Problem = Omit<Finding, 'check'>;

function problem(level: 'error' | 'warning', message: string, help: string): Problem {
  return { level, message, help };
}

function checkAgent({ isAgentRunning }: MachineFacts): Problem[] {
  if (!isAgentRunning) return [];
  return [
    problem(
      'warning',
      'an agent runs with this root directory already',
      'stop it before another one, or choose another --root-dir',
    ),
  ];
}

function checkUser({ userId }: MachineFacts): Problem[] {
  return userId === 0
    ? []
    : [
        problem(
          'error',
          `user ${String(userId)} is not root`,
          'run the agent as root: it mounts volumes and manages cgroups',
        ),
      ];
}

function checkKernel({ kernelRelease, cgroups, sysctls, fileSystems }: MachineFacts): Problem[] {
  const problems: Problem[] = [];
  const version = /^(\d+)\.(\d+)/.exec(kernelRelease)?.slice(1).map(Number);
  if (version === undefined)
    problems.push(problem('warning', `cannot read the version of ${kernelRelease}`, 'check it by hand'));
  else if (isOlder(version, OLDEST_KERNEL))
    problems.push(problem('error', `${kernelRelease} is older than ${OLDEST_KERNEL.join('.')}`, 'upgrade the kernel'));
  else if (cgroups?.version === 2 && isOlder(version, CGROUP_V2_KERNEL))
    problems.push(
      problem(
        'warning',
        `${kernelRelease} has cgroup v2 without freezer and hugetlb in all places (${CGROUP_V2_KERNEL.join('.')} has them)`,
        'upgrade the kernel',
      ),
    );
  if (fileSystems !== undefined && !/\boverlay$/m.test(fileSystems))
    problems.push(
      problem(
        'warning',
        'the file system overlay is not loaded',
        'run modprobe overlay, and list it in /etc/modules-load.d',
      ),
    );
  if (sysctls['net.ipv4.ip_forward'] === '0')
    problems.push(
      problem(
        'warning',
        'net.ipv4.ip_forward is 0, so that pods reach no other machine',
        'run sysctl -w net.ipv4.ip_forward=1, and set it in /etc/sysctl.d',
      ),
    );
  const watches = Number(sysctls['fs.inotify.max_user_watches'] ?? NaN);
  if (watches < LOW_INOTIFY_WATCHES)
    problems.push(
      problem(
        'warning',
        `fs.inotify.max_user_watches is ${String(watches)}`,
        `run sysctl -w fs.inotify.max_user_watches=65536: changes of manifests and plugins are found late without`,
      ),
    );
  return problems;
}

function isOlder(
  [major = 0, minor = 0]: readonly number[],
  [needMajor, needMinor]: readonly [number, number],
): boolean {
  return major < needMajor || (major === needMajor && minor < needMinor);
}

function checkCgroups({ cgroups }: MachineFacts, { failCgroupV1 }: NodeNeeds): Problem[] {
  if (cgroups === undefined)
    return [
      problem('error', 'no cgroup file system is mounted', 'mount cgroup2 at /sys/fs/cgroup, or boot with systemd'),
    ];
  const problems: Problem[] = [];
  const missing = REQUIRED_CONTROLLERS.filter((name) => !cgroups.controllers.includes(name));
  if (missing.length > 0)
    problems.push(
      problem(
        'error',
        `cgroup v${String(cgroups.version)} has no ${missing.join(', ')}`,
        'enable them on the command line of the kernel, e.g. cgroup_enable=memory; in a container, delegate them',
      ),
    );
  if (cgroups.isReadOnly)
    problems.push(problem('error', '/sys/fs/cgroup is read-only', 'in a container, mount it writable (--privileged)'));
  if (cgroups.version === 1)
    problems.push(
      failCgroupV1
        ? problem(
            'error',
            'cgroup v1 is mounted, and failCgroupV1 is set',
            'boot with systemd.unified_cgroup_hierarchy=1',
          )
        : problem(
            'warning',
            'cgroup v1 has neither memory QoS nor swap limits',
            'boot with systemd.unified_cgroup_hierarchy=1',
          ),
    );
  return problems;
}

function describeCgroups({ cgroups }: MachineFacts): string {
  return cgroups === undefined ? '' : `v${String(cgroups.version)} with ${cgroups.controllers.join(', ')}`;
}

function checkRuntime({ runtime }: MachineFacts): Problem[] {
  if (runtime.kind === 'unavailable')
    return [
      problem(
        'error',
        runtime.message,
        'start the runtime (systemctl start containerd), or name its socket with --container-runtime-endpoint',
      ),
    ];
  const unready = runtime.conditions.find(({ type, status }) => type === 'RuntimeReady' && !status);
  return unready === undefined
    ? []
    : [problem('error', `${runtime.name} is not ready: ${unready.message}`, `look into the log of ${runtime.name}`)];
}

function describeRuntime({ runtime }: MachineFacts): string {
  return runtime.kind === 'available' ? `${runtime.name} ${runtime.version}` : '';
}

function checkNetwork({ runtime }: MachineFacts, { isTrial }: NodeNeeds): Problem[] {
  if (runtime.kind === 'unavailable')
    return [problem('warning', 'unknown, as the runtime does not answer', 'start the runtime first')];
  if (isTrial) return [];
  const unready = runtime.conditions.find(({ type, status }) => type === 'NetworkReady' && !status);
  if (unready === undefined) return [];
  const { cniConfigurations } = runtime;
  const help =
    cniConfigurations === undefined || cniConfigurations.length === 0
      ? 'put a CNI configuration into /etc/cni/net.d, and its plugins where the runtime looks for them (/opt/cni/bin)'
      : `check ${cniConfigurations.join(', ')} in /etc/cni/net.d, and that the plugins are where the runtime looks for them (/opt/cni/bin)`;
  return [problem('error', `no pod network: ${unready.message}`, help)];
}

function checkPort({ isAgentRunning }: MachineFacts): (port: PortFacts) => Problem[] {
  return ({ name, address, port, problem: code }) => {
    // They are those of the agent that runs.
    if (code === undefined || (isAgentRunning && code === 'EADDRINUSE')) return [];
    const place = `${address}:${String(port)} (${name})`;
    if (code === 'EADDRINUSE')
      return [
        problem(
          'error',
          `${place} is in use`,
          `stop the kubelet or whatever listens (ss -ltnp 'sport = :${String(port)}'), or set ${name}`,
        ),
      ];
    return [problem('error', `cannot listen on ${place}: ${code}`, `set ${name} or its address`)];
  };
}

function describePorts(ports: readonly PortFacts[]): string {
  return ports.length === 0 ? 'none are opened' : `${ports.map(({ port }) => String(port)).join(', ')} can be opened`;
}

function checkSwap({ isSwapOn }: MachineFacts, { failSwapOn }: NodeNeeds): Problem[] {
  if (isSwapOn !== true || !failSwapOn) return [];
  return [
    problem(
      'error',
      'swap is on, and failSwapOn is set',
      'run swapoff -a and remove swap from /etc/fstab, or set failSwapOn: false',
    ),
  ];
}

function checkTime({ nowMs, clock }: MachineFacts, { isInCluster, isTrial }: NodeNeeds): Problem[] {
  const now = new Date(nowMs).toISOString();
  if (nowMs < clock.earliestMs)
    return [problem('error', `the clock is in the past: ${now}`, 'set it, and run chrony or systemd-timesyncd')];
  if (isTrial || clock.isSynchronized === true) return [];
  const what = clock.isSynchronized === false ? 'is not' : 'may not be';
  const cost = isInCluster ? ': certificates, leases and tokens depend on it' : '';
  return [problem('warning', `the clock ${what} synchronized${cost}`, 'run chrony or systemd-timesyncd')];
}

function checkCertificate({ nowMs }: MachineFacts): (certificate: CertificateFacts) => Problem[] {
  return ({ path, purpose, validity }) => {
    const subject = `the ${purpose} ${path}`;
    if ('problem' in validity)
      return [problem('error', `${subject} cannot be used: ${validity.problem}`, 'replace it')];
    const { fromMs, toMs } = validity;
    if (nowMs < fromMs)
      return [problem('error', `${subject} is valid from ${new Date(fromMs).toISOString()} only`, 'check the clock')];
    const renew = 'renew it; a node of a cluster does so with rotateCertificates, or by a bootstrap token';
    if (nowMs >= toMs) return [problem('error', `${subject} expired on ${new Date(toMs).toISOString()}`, renew)];
    if (toMs - nowMs >= CERTIFICATE_WARNING_MS) return [];
    return [problem('warning', `${subject} expires in ${((toMs - nowMs) / DAY_MS).toFixed(1)} days`, renew)];
  };
}

function describeCertificates({ certificates }: MachineFacts): string {
  return certificates.length === 0 ? 'none are configured' : `${String(certificates.length)} valid`;
}

function checkDisk({ disk }: MachineFacts): Problem[] {
  if (disk === undefined || disk.availableBytes >= disk.capacityBytes * LOW_DISK_RATIO) return [];
  return [
    problem(
      'warning',
      `the disk of ${disk.path} has ${percent(disk)} left: images are removed below 15%, pods evicted below 10%`,
      'free space, or choose another --root-dir',
    ),
  ];
}

function describeDisk({ disk }: MachineFacts): string {
  return disk === undefined ? 'unknown' : `${percent(disk)} of ${disk.path} is free`;
}

function percent({ availableBytes, capacityBytes }: NonNullable<MachineFacts['disk']>): string {
  return `${String(Math.floor((availableBytes * 100) / Math.max(1, capacityBytes)))}%`;
}

function checkPrograms({ missingPrograms }: MachineFacts): Problem[] {
  if (missingPrograms.length === 0) return [];
  return [problem('warning', `PATH lacks ${missingPrograms.join(', ')}`, 'install mount, util-linux and iptables')];
}
