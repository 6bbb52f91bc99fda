import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createModuleContext } from '@rxlet/agent-api/testing';
import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import { eventually } from '@rxlet/test-containerd/eventually';
import { containerdUnavailable, searchPath } from '@rxlet/test-containerd/prerequisites';
import { type PrivateMachine, startPrivateMachine } from '@rxlet/test-containerd/private-machine';
import { run } from '@rxlet/test-containerd/processes';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { iptables } from './iptables-module.ts';

const unavailable = containerdUnavailable();
if (unavailable !== undefined) console.warn(`skipped: ${unavailable}`);

/** Rules of IPv4, as iptables shows them. */
const RULES = [
  '-A INPUT -j KUBE-FIREWALL',
  '-A OUTPUT -j KUBE-FIREWALL',
  '-A KUBE-FIREWALL ! -s 127.0.0.0/8 -d 127.0.0.0/8 -m comment --comment "block incoming localnet connections" -m conntrack ! --ctstate RELATED,ESTABLISHED,DNAT -j DROP',
];

describe.skipIf(unavailable !== undefined)('the chains of the real iptables', () => {
  let machine: PrivateMachine;
  let folder: string;
  const stack = new AsyncDisposableStack();
  /** Runs a program in the network of the test. */
  const onMachine = (...command: readonly string[]): Promise<string> => {
    const [program = '', ...args] = machine.enter;
    return run(program, [...args, ...command]);
  };
  const chainsOf = async (program: string, table: string): Promise<readonly string[]> =>
    (await onMachine(program, '-t', table, '-S'))
      .split('\n')
      .flatMap((line) => /^-N (\S+)$/.exec(line)?.[1] ?? [])
      .toSorted();
  const rules = async (): Promise<readonly string[]> =>
    (await onMachine('iptables', '-t', 'filter', '-S')).split('\n').filter((line) => line.startsWith('-A '));
  const startModule = async () => {
    const clock = createVirtualClock();
    const logger = recordingLogger();
    const parts = iptables().setup(createModuleContext({ clock, logger }))!;
    stack.defer(async () => parts[Symbol.asyncDispose]!());
    await parts.start!(new AbortController().signal);
    return { clock, logger, stop: async () => parts[Symbol.asyncDispose]!() };
  };
  const untilMade = (): Promise<unknown> =>
    eventually('the last chain is there', async () =>
      (await chainsOf('iptables', 'filter')).includes('KUBE-KUBELET-CANARY'),
    );

  beforeAll(async () => {
    machine = stack.use(await startPrivateMachine({ directories: [] }));
    folder = await mkdtemp(join(tmpdir(), 'rxlet-iptables-'));
    stack.defer(() => rm(folder, { recursive: true }));
    // The module calls the programs by their names.
    await mkdir(join(folder, 'bin'));
    for (const name of ['iptables', 'ip6tables'])
      await writeFile(
        join(folder, 'bin', name),
        `#!/bin/sh\nPATH=${searchPath()} exec ${machine.enter.join(' ')} ${name} "$@"\n`,
        {
          mode: 0o755,
        },
      );
    vi.stubEnv('PATH', `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`);
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await stack.disposeAsync();
  });

  it('exist once, whatever else is there, and come back when the tables are flushed', async () => {
    await onMachine('iptables', '-A', 'INPUT', '-p', 'tcp', '--dport', '7', '-j', 'ACCEPT');
    const own = '-A INPUT -p tcp -m tcp --dport 7 -j ACCEPT';
    const first = await startModule();
    await untilMade();
    const [toInput = '', ...others] = RULES;
    expect(await rules()).toEqual([toInput, own, ...others]);
    const chains = async () => ({
      filter: await chainsOf('iptables', 'filter'),
      mangle: await chainsOf('iptables', 'mangle'),
      nat: await chainsOf('iptables', 'nat'),
      mangle6: await chainsOf('ip6tables', 'mangle'),
    });
    const made = {
      filter: ['KUBE-FIREWALL', 'KUBE-KUBELET-CANARY'],
      mangle: ['KUBE-IPTABLES-HINT', 'KUBE-KUBELET-CANARY'],
      nat: ['KUBE-KUBELET-CANARY'],
      mangle6: ['KUBE-IPTABLES-HINT', 'KUBE-KUBELET-CANARY'],
    };
    await vi.waitFor(async () => expect(await chains()).toEqual(made), 10_000);
    expect(first.logger.lines.filter(({ level }) => level !== 'info' && level !== 'debug')).toEqual([]);

    // The next agent finds everything.
    await first.stop();
    const second = await startModule();
    await second.clock.settle();
    await vi.waitFor(async () => expect(await chains()).toEqual(made), 10_000);
    expect(await rules()).toEqual([toInput, own, ...others]);

    for (const table of ['mangle', 'nat', 'filter'])
      for (const flush of ['-F', '-X']) await onMachine('iptables', '-t', table, flush);
    expect(await rules()).toEqual([]);
    await eventually('the chains are made again', async () => {
      await second.clock.advance(60_000);
      return (await chainsOf('iptables', 'filter')).includes('KUBE-KUBELET-CANARY');
    });
    expect(await rules()).toEqual(RULES);
  });
});
