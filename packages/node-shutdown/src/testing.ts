export { createFakeLogind, type FakeLogind } from './testing/fake-logind.ts';
