export { type AddressFamily, type Chain, chainRules, type Requirement, type Rule, type Table } from './chain-rules.ts';
export { iptables, type IptablesOptions } from './iptables-module.ts';
export type { IptablesProgram } from './iptables-program.ts';
