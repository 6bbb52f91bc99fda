import type { CriError } from './cri-error.ts';

/**
 * The state of the connection to a runtime.
 *
 * ```text
 *            first call              handshake done
 *   idle ──────────────▶ connecting ───────────────▶ ready
 *                         ▲   │  attempt failed        │
 *                         │   ▼                        │ connection lost
 *                         │ unavailable ──────▶ ready  │
 *                         └────────────────────────────┘
 * ```
 *
 * - `idle`: no call has been made yet, so nothing was tried.
 * - `connecting`: calls wait for the outcome of the attempt.
 * - `ready`: calls go out at once.
 * - `unavailable`: attempts go on in the background with a growing delay; calls fail at once with the same kind of error as `error`.
 */
export type ConnectionState =
  | {
      readonly kind: 'idle' | 'connecting' | 'ready';
      /** Since when, in milliseconds since the epoch. */
      readonly sinceMs: number;
    }
  | {
      readonly kind: 'unavailable';
      readonly sinceMs: number;
      /** Why no connection can be made. */
      readonly error: CriError;
    };
