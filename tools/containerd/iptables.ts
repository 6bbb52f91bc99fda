import { run } from './processes.ts';

/** Chains that the portmap plugin creates once for the whole machine, however many networks use it. */
const SHARED_CHAINS = ['CNI-HOSTPORT-DNAT', 'CNI-HOSTPORT-MASQ', 'CNI-HOSTPORT-SETMARK'];

/**
 * Returns the input for `iptables-restore --noflush` that removes the CNI plugins' rules for containers of `network` from the nat table; `undefined` if there
 * are none. Pure; `saved` is what `iptables-save -t nat` prints. portmap names the network in a comment (`name: "NETWORK"`) of the rules that lead to a
 * container's chain, and creates shared chains that it never removes: they are removed too, as soon as no container of any network has a rule in them.
 */
export function removeNetworkRules(saved: string, network: string): string | undefined {
  const lines = saved.split('\n');
  const rules = lines.filter((line) => line.startsWith('-A '));
  const defined = new Set(lines.flatMap((line) => /^:(\S+)/.exec(line)?.[1] ?? []));
  const own = rules.filter((rule) => rule.includes(`name: \\"${network}\\"`));
  const ownChains = new Set(own.flatMap((rule) => /-j (CNI-[\w-]+)/.exec(rule)?.[1] ?? []));

  const inUse = rules.some((rule) => rule.startsWith('-A CNI-HOSTPORT-DNAT ') && !own.includes(rule));
  const shared = inUse ? [] : SHARED_CHAINS.filter((chain) => defined.has(chain));
  const chains = [...[...ownChains].filter((chain) => !SHARED_CHAINS.includes(chain) && defined.has(chain)), ...shared];
  if (own.length === 0 && chains.length === 0) return undefined;

  const gone = new Set(chains);
  const references = rules.filter((rule) => {
    const [, chain = ''] = rule.split(' ');
    const target = /-j (\S+)/.exec(rule)?.[1] ?? '';
    return !gone.has(chain) && (own.includes(rule) || gone.has(target));
  });
  return [
    '*nat',
    ...references.map((rule) => rule.replace(/^-A/, '-D')),
    ...chains.map((chain) => `-F ${chain}`),
    ...chains.map((chain) => `-X ${chain}`),
    'COMMIT',
    '',
  ].join('\n');
}

/** Removes the rules on this machine. Other processes change the same table, and a restore does all or nothing: hence three attempts. */
export async function clearNetworkRules(network: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const input = removeNetworkRules(await run('iptables-save', ['-t', 'nat']), network);
    if (input === undefined) return;
    try {
      await run('iptables-restore', ['--noflush', '--wait'], { input });
      return;
    } catch (error) {
      if (attempt === 3) throw error;
    }
  }
}
