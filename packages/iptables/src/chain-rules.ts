/** Family of addresses: `iptables` or `ip6tables`. */
export type AddressFamily = 'IPv4' | 'IPv6';

/** A table of the kernel's packet filter. */
export type Table = 'filter' | 'mangle' | 'nat';

/** A chain of a table. */
export interface Chain {
  readonly table: Table;
  readonly chain: string;
}

/** A rule of a chain. */
export interface Rule extends Chain {
  /** Whether the rule is the first of its chain when it is added, or the last. */
  readonly position: 'first' | 'last';
  /** Match and target, as arguments of iptables. */
  readonly rule: readonly string[];
}

/** A chain or rule that the node must have. */
export type Requirement = Chain | Rule;

/** Chain by which other programs recognise the version of iptables that the node uses. */
const HINT: Chain = { table: 'mangle', chain: 'KUBE-IPTABLES-HINT' };
const FIREWALL: Chain = { table: 'filter', chain: 'KUBE-FIREWALL' };

/** Chains without rules, whose loss shows that the tables were flushed. The first one is checked, because programs that flush the others seldom touch it. */
export const CANARIES: readonly [Chain, ...Chain[]] = [
  { table: 'mangle', chain: 'KUBE-KUBELET-CANARY' },
  { table: 'nat', chain: 'KUBE-KUBELET-CANARY' },
  { table: 'filter', chain: 'KUBE-KUBELET-CANARY' },
];

/** Packets to a loopback address that came from elsewhere, unless they belong to a known connection: services of node ports make routes to such addresses (CVE-2020-8558). */
const BLOCK_LOCALNET: readonly string[] = [
  ...['-m', 'comment', '--comment', 'block incoming localnet connections'],
  ...['--dst', '127.0.0.0/8', '!', '--src', '127.0.0.0/8'],
  ...['-m', 'conntrack', '!', '--ctstate', 'RELATED,ESTABLISHED,DNAT'],
  ...['-j', 'DROP'],
];

/** Returns the chains and rules of a family (kubelet: `syncIPTablesRules`). */
export function chainRules(family: AddressFamily): readonly Requirement[] {
  if (family === 'IPv6') return [HINT];
  const jump = ['-j', FIREWALL.chain];
  return [
    HINT,
    FIREWALL,
    { table: 'filter', chain: 'OUTPUT', position: 'first', rule: jump },
    { table: 'filter', chain: 'INPUT', position: 'first', rule: jump },
    { ...FIREWALL, position: 'last', rule: BLOCK_LOCALNET },
  ];
}
