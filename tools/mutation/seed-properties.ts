import fc from 'fast-check';

// The same mutants survive in each run.
fc.configureGlobal({ seed: 1 });
