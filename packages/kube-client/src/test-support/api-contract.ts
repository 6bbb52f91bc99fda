import { afterAll, beforeAll, describe } from 'vitest';
import { type ContractFixture, type ContractTarget, createContractFixture } from './contract-fixture.ts';
import { describeNodeAgent } from './node-agent-contract.ts';
import { describeLists, describeObjects, describeWatches } from './object-contract.ts';
import { describePods } from './pod-contract.ts';

/** Defines the tests of everything that a node agent relies on. */
export function describeApiContract(name: string, open: () => Promise<ContractTarget>): void {
  describe(name, () => {
    let target: ContractTarget;
    let fixture: ContractFixture;
    beforeAll(async () => {
      target = await open();
      fixture = await createContractFixture(target);
    }, 120_000);
    afterAll(async () => target?.[Symbol.asyncDispose]());

    const current = (): ContractFixture => fixture;
    describeObjects(current);
    describeLists(current);
    describeWatches(current);
    describePods(current);
    describeNodeAgent(current);
  });
}
