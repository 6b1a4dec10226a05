/** One measured value, and whether it is as promised. */
export interface Figure {
  readonly label: string;
  readonly got: string;
  /** Absent where a figure is only told. */
  readonly promised?: string;
  readonly isKept: boolean;
}

export function exactly(label: string, got: number | string, promised: number | string): Figure {
  return { label, got: String(got), promised: String(promised), isKept: got === promised };
}

export function atMost(label: string, got: number, limit: number, unit = ''): Figure {
  return { label, got: shown(got, unit), promised: `<= ${shown(limit, unit)}`, isKept: got <= limit };
}

/** Not judged. */
export function told(label: string, got: number | string, unit = ''): Figure {
  return { label, got: typeof got === 'number' ? shown(got, unit) : got, isKept: true };
}

function shown(value: number, unit: string): string {
  const rounded = Math.round(value * 100) / 100;
  return unit === '' ? String(rounded) : `${rounded} ${unit}`;
}
