export type { ContractCase, ContractSubject } from './testing/contract-subject.ts';
export { criContract } from './testing/cri-contract.ts';
