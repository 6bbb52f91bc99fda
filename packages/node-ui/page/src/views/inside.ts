import { html } from 'lit';
import type { View } from '../view.ts';

export const insideView: View = { show: () => html`` };
