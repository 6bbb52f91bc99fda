import { containerCases } from './container-cases.ts';
import type { ContractCase } from './contract-subject.ts';
import { errorCases } from './error-cases.ts';
import { execCases } from './exec-cases.ts';
import { imageCases } from './image-cases.ts';
import { listCases } from './list-cases.ts';
import { logCases } from './log-cases.ts';
import { runtimeCases } from './runtime-cases.ts';
import { sandboxCases } from './sandbox-cases.ts';

/**
 * The contract of the CRI ports: the behaviour that every container runtime offers and that callers may rely on. Each case is independent of the others, cleans
 * up, and throws an `AssertionError` when the runtime does not keep the contract.
 */
export const criContract: readonly ContractCase[] = [
  ...runtimeCases,
  ...sandboxCases,
  ...containerCases,
  ...listCases,
  ...execCases,
  ...logCases,
  ...imageCases,
  ...errorCases,
];
