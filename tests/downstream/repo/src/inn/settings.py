BILLING = "https://billing.inn.example/api"
CRM = "https://crm.inn.example"
DESK = "https://desk.test"
RATES = "https://rates.example"
