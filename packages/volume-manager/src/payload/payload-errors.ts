import { errorMessage } from '@rxlet/component-base';
import { PayloadError } from './payload.ts';

/** Failures of the sources of one volume. All sources are tried, so that the user sees every fault at once. */
export interface PayloadErrors {
  /** Runs the collection of one source and keeps its failure. An abort is not a failure of the source. */
  attempt(collect: () => Promise<void> | void): Promise<void>;
  /** @throws PayloadError with all failures */
  throwIfAny(): void;
}

/** Creates {@link PayloadErrors}. */
export function createPayloadErrors(signal: AbortSignal | undefined): PayloadErrors {
  const messages = new Set<string>();
  return {
    async attempt(collect) {
      try {
        await collect();
      } catch (error) {
        signal?.throwIfAborted();
        for (const message of error instanceof PayloadErrorList ? error.messages : [errorMessage(error)])
          messages.add(message);
      }
    },
    throwIfAny() {
      if (messages.size > 0) throw new PayloadErrorList([...messages]);
    },
  };
}

/** Several failures: one stands for itself, several are in brackets, as the kubelet joins them. */
class PayloadErrorList extends PayloadError {
  readonly messages: readonly string[];

  constructor(messages: readonly string[]) {
    super(messages.length === 1 ? messages[0]! : `[${messages.join(', ')}]`);
    this.messages = messages;
  }
}
