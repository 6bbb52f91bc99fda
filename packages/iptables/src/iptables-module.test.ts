import { createModuleContext } from '@rxlet/agent-api/testing';
import { createVirtualClock, recordingLogger, type VirtualClock } from '@rxlet/component-base/testing';
import { afterEach, describe, expect, it } from 'vitest';
import type { AddressFamily } from './chain-rules.ts';
import { iptables } from './iptables-module.ts';
import type { IptablesProgram } from './iptables-program.ts';

/** Tables in memory, in which iptables finds and adds chains and rules. */
class FakeTables {
  readonly chains = new Map<string, string[][]>();
  readonly calls: string[] = [];
  /** Exit code of calls that begin with an operation. */
  readonly failures = new Map<string, number>();

  constructor() {
    this.flush();
  }

  flush(): void {
    this.chains.clear();
    for (const name of ['filter INPUT', 'filter OUTPUT', 'nat POSTROUTING']) this.chains.set(name, []);
  }

  readonly run: IptablesProgram = async ([_wait, _seconds, operation = '', chain = '', _t, table = '', ...rule]) => {
    this.calls.push(`${operation} ${table} ${chain}`);
    const failure = this.failures.get(operation);
    if (failure !== undefined) return { exitCode: failure, output: 'Permission denied' };
    const name = `${table} ${chain}`;
    const rules = this.chains.get(name);
    const answer = (isDone: boolean) => ({ exitCode: isDone ? 0 : 1, output: '' });
    if (operation === '-N') {
      if (rules === undefined) this.chains.set(name, []);
      return answer(rules === undefined);
    }
    if (rules === undefined || operation === '-S') return answer(rules !== undefined);
    if (operation === '-C') return answer(rules.some((each) => each.join(' ') === rule.join(' ')));
    if (operation === '-I') rules.unshift(rule);
    if (operation === '-A') rules.push(rule);
    return answer(true);
  };
}

let stack: AsyncDisposableStack;
async function start(missing?: AddressFamily) {
  stack = new AsyncDisposableStack();
  const clock: VirtualClock = createVirtualClock();
  const logger = recordingLogger();
  const tables = { IPv4: new FakeTables(), IPv6: new FakeTables() };
  const absent: IptablesProgram = () => Promise.reject(new Error('spawn iptables ENOENT'));
  const programOf = (family: AddressFamily): IptablesProgram => (family === missing ? absent : tables[family].run);
  const parts = iptables({ programOf }).setup(createModuleContext({ clock, logger }))!;
  stack.defer(async () => parts[Symbol.asyncDispose]!());
  await parts.start!(new AbortController().signal);
  await clock.settle();
  return { clock, logger, ...tables };
}
afterEach(() => stack.disposeAsync());

const DROP =
  '-m comment --comment block incoming localnet connections --dst 127.0.0.0/8 ! --src 127.0.0.0/8 -m conntrack ! --ctstate RELATED,ESTABLISHED,DNAT -j DROP';
const textOf = ({ chains }: FakeTables): Record<string, readonly string[]> =>
  Object.fromEntries([...chains].map(([name, rules]) => [name, rules.map((rule) => rule.join(' '))]));
const CANARIES = { 'mangle KUBE-KUBELET-CANARY': [], 'nat KUBE-KUBELET-CANARY': [], 'filter KUBE-KUBELET-CANARY': [] };

describe('iptables', () => {
  it("makes the kubelet's chains and rules", async () => {
    const { IPv4, IPv6 } = await start();
    expect(textOf(IPv4)).toEqual({
      'filter INPUT': ['-j KUBE-FIREWALL'],
      'filter OUTPUT': ['-j KUBE-FIREWALL'],
      'nat POSTROUTING': [],
      'mangle KUBE-IPTABLES-HINT': [],
      'filter KUBE-FIREWALL': [DROP],
      ...CANARIES,
    });
    expect(textOf(IPv6)).toEqual({
      'filter INPUT': [],
      'filter OUTPUT': [],
      'nat POSTROUTING': [],
      'mangle KUBE-IPTABLES-HINT': [],
      ...CANARIES,
    });
  });

  it('adds nothing twice, and checks one chain a minute', async () => {
    const { clock, IPv4 } = await start();
    const before = textOf(IPv4);
    IPv4.calls.length = 0;
    await clock.advance(180_000);
    expect(IPv4.calls).toEqual(Array.from({ length: 3 }, () => '-S mangle KUBE-KUBELET-CANARY'));
    expect(textOf(IPv4)).toEqual(before);
  });

  it('makes them again after the tables were flushed', async () => {
    const { clock, IPv4 } = await start();
    const before = textOf(IPv4);
    IPv4.flush();
    await clock.advance(61_000);
    expect(textOf(IPv4)).toEqual(before);
  });

  it('waits until a flush has reached all tables', async () => {
    const { clock, IPv4 } = await start();
    IPv4.chains.delete('mangle KUBE-KUBELET-CANARY');
    await clock.advance(62_000);
    expect(IPv4.chains.has('mangle KUBE-KUBELET-CANARY')).toBe(false);
    IPv4.flush();
    await clock.advance(200);
    expect(IPv4.chains.has('filter KUBE-FIREWALL')).toBe(true);
  });

  it('leaves a family alone without its program', async () => {
    const { logger, IPv4, IPv6 } = await start('IPv6');
    expect(IPv6.calls).toEqual([]);
    expect(IPv4.chains.has('filter KUBE-FIREWALL')).toBe(true);
    expect(logger.lines).toMatchObject([{ level: 'info', fields: { family: 'IPv6' } }]);
  });

  it('goes on checking after a check that failed', async () => {
    const { clock, logger, IPv4 } = await start();
    IPv4.failures.set('-S', 4);
    await clock.advance(60_000);
    expect(logger.lines).toMatchObject([{ level: 'warn', fields: { family: 'IPv4' } }]);
    IPv4.failures.clear();
    IPv4.flush();
    await clock.advance(180_000);
    expect(IPv4.chains.has('filter KUBE-FIREWALL')).toBe(true);
  });

  it('leaves no timer and no call behind', async () => {
    const { clock } = await start();
    await stack.disposeAsync();
    expect(clock.pendingTimers).toBe(0);
  });
});

it('names the failure of a family, and ends its work', async () => {
  stack = new AsyncDisposableStack();
  const clock = createVirtualClock();
  const logger = recordingLogger();
  const tables = new FakeTables();
  tables.failures.set('-N', 4);
  const parts = iptables({ programOf: () => tables.run }).setup(createModuleContext({ clock, logger }))!;
  stack.defer(async () => parts[Symbol.asyncDispose]!());
  await parts.start!(new AbortController().signal);
  await clock.settle();
  expect(logger.lines.filter(({ level }) => level === 'error')).toHaveLength(2);
  expect(logger.lines[0]?.fields['error']).toContain('Permission denied');
  expect(clock.pendingTimers).toBe(0);
});
