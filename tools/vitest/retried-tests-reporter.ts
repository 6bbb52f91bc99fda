import type { Reporter } from 'vitest/node';
import { createRetriedTests } from './retried-tests.ts';

/** The reporter in the form in which Vitest loads one from a file: a class that is the default export. */
class RetriedTests {
  constructor() {
    Object.assign<Reporter, Reporter>(
      this,
      createRetriedTests((text) => process.stdout.write(text)),
    );
  }
}

export { RetriedTests as default };
