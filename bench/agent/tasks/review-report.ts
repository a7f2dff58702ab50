// A review in Python: SQL made of a visitor's text, and a list that all calls share.

import type { ReviewTask } from "../task.ts";

export const reviewReport: ReviewTask = {
  kind: "review",
  toolchain: null,
  term: "orders_of",
  prompt:
    "Review the last commit of this repository (HEAD) for defects that would harm its users. Report each defect at its line. Report no matters of taste.",
  files: {
    "orders.py": `def count_orders(db):
    return db.execute("SELECT count(*) FROM orders").fetchone()[0]
`,
  },
  change: {
    "orders.py": `def count_orders(db):
    return db.execute("SELECT count(*) FROM orders").fetchone()[0]


def orders_of(db, customer, found=[]):
    """The orders of the customer whose name a visitor typed, newest first."""
    rows = db.execute(
        f"SELECT id, amount FROM orders WHERE customer = '{customer}' ORDER BY id DESC"
    )
    for order_id, amount in rows:
        found.append({"id": order_id, "amount": amount})
    return found
`,
  },
  defects: [
    { path: "orders.py", text: "def orders_of(db, customer, found=[]):" },
    {
      path: "orders.py",
      text: "        f\"SELECT id, amount FROM orders WHERE customer = '{customer}' ORDER BY id DESC\"",
    },
  ],
};
