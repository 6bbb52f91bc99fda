export { createMemoryProvider, type MemoryProvider, type ProviderCall } from './testing/memory-provider.ts';
export {
  podProviderContract,
  type ProviderAbilities,
  type ProviderCase,
  type ProviderSubject,
} from './testing/pod-provider-contract.ts';
