"""From a file to findings: strings the layers together, keeps the memo, holds the budgets."""
